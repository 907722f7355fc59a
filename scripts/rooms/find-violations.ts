/** Checks the sources against architecture.json, and describes each violation. */
import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readArchitecture, roomOf, sourceFolders } from './architecture.ts'
import { checkArchitecture } from './check-architecture.ts'
import { checkImports } from './check-imports.ts'
import { checkPurity } from './check-purity.ts'
import { checkSizes } from './check-sizes.ts'
import { findCycles } from './find-cycles.ts'
import { parseSource } from './parse-source.ts'

const listFiles = (root: string, folders: readonly string[]): string[] =>
  folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => relative(root, join(parentPath, name)).replaceAll('\\', '/')),
    )
    .sort()

const isSource = (file: string): boolean => /\.[cm]?[jt]s$/.test(file)

const foldersOfSrc = (root: string): string[] =>
  existsSync(join(root, 'src'))
    ? readdirSync(join(root, 'src'), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
    : []

export const findViolations = (root: string): string[] => {
  const architecture = readArchitecture(root)
  const { rooms } = architecture
  const files = listFiles(root, sourceFolders(rooms))
  const sources = files.filter(isSource).map((file) => parseSource(root, file))
  const graph = new Map(sources.map(({ file, imports }) => [file, imports.map(({ target }) => target)]))
  return [
    ...checkArchitecture(architecture, foldersOfSrc(root), sources),
    ...sources
      .filter(({ file }) => roomOf(rooms, file) === undefined)
      .map(({ file }) => `${file} is in no room of architecture.json`),
    ...sources.flatMap((source) => checkImports(rooms, source)),
    ...findCycles(graph).map((cycle) => `a cycle of imports: ${cycle.join(' -> ')}`),
    ...checkSizes(sources, files),
    ...sources.flatMap((source) => checkPurity(rooms, source)),
  ]
}
