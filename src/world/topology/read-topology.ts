/** Reads the topology of a system: `topology.yaml`, and a file for each service in or below `services/`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { RemediumError, type Topology } from '#spec'
import { parseTopology } from './parse-topology.ts'
import type { SourceFile } from './topology-sources.ts'

const SERVICE_FILE = /^(?:.*\/)?([a-z0-9-]+)\.yaml$/

/** The name of a file in a system's folder, for messages: `shop/topology.yaml`. */
export const systemFileName = (folder: string, file: string): string => `${basename(folder)}/${file}`

export const readSystemFile = (folder: string, file: string): string => {
  try {
    return readFileSync(join(folder, file), 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const problem = code === 'ENOENT' ? 'is missing' : `cannot be read: ${message}`
    throw new RemediumError('bad-file', `${systemFileName(folder, file)} ${problem}`)
  }
}

/** The files in `services/` and in folders below it, relative to the system's folder. */
const listServiceFiles = (folder: string): string[] => {
  const serviceFolder = join(folder, 'services')
  if (!existsSync(serviceFolder)) return []
  return readdirSync(serviceFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
}

/** Returns the files by service, sorted by the name of the service regardless of the folder. */
const readServiceFiles = (folder: string): Record<string, SourceFile> => {
  const found = new Map<string, string>()
  for (const file of listServiceFiles(folder).sort()) {
    const service = SERVICE_FILE.exec(file)?.[1]
    const toError = (problem: string): RemediumError =>
      new RemediumError('bad-file', `${systemFileName(folder, file)} ${problem}`)
    if (service === undefined) throw toError('must be named after its service: "cart.yaml"')
    const other = found.get(service)
    if (other !== undefined)
      throw toError(`is a second file of the service "${service}", in addition to ${other}`)
    found.set(service, file)
  }
  const byName = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(
    byName.map(([service, file]) => [
      service,
      { file: systemFileName(folder, file), text: readSystemFile(folder, file) },
    ]),
  )
}

/** Throws an error that lists all mistakes, each with file, line and path. */
export const readTopology = (folder: string): Topology =>
  parseTopology(
    readSystemFile(folder, 'topology.yaml'),
    systemFileName(folder, 'topology.yaml'),
    readServiceFiles(folder),
  )
