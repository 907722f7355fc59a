/** The room rules: what in the sources breaks architecture.json, one sentence each. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Architecture, peerOf, readArchitecture, roomOf, sourceFolders } from './architecture.ts'
import { findCycles } from './find-cycles.ts'
import { parseSource, type Source } from './parse-source.ts'

const LINES_ALLOWED = 400

/** Tests may reach further than the room they lie in, and nothing else may import what is made for them. */
const isTestCode = (file: string): boolean => file.endsWith('.test.ts') || file.includes('/testing/')

const listSources = (root: string, folders: readonly string[]): string[] =>
  folders
    .flatMap((folder) => {
      try {
        return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
          join(folder, path).replaceAll('\\', '/'),
        )
      } catch {
        return []
      }
    })
    .filter((file) => /\.[cm]?[jt]s$/.test(file))
    .sort()

const checkArrows = (rooms: Architecture): string[] => {
  const unknown = Object.entries(rooms).flatMap(([room, { imports }]) =>
    imports
      .filter((other) => !Object.hasOwn(rooms, other))
      .map((other) => `architecture.json: ${room} may import ${other}, which is no room`),
  )
  const graph = new Map(Object.entries(rooms).map(([room, { imports }]) => [room, imports]))
  return [
    ...unknown,
    ...findCycles(graph).map((cycle) => `architecture.json: rooms in a circle: ${cycle.join(' -> ')}`),
  ]
}

/** Whether a file must keep to the arrows of its room. */
const isHeld = (rooms: Architecture, file: string): boolean => {
  const room = roomOf(rooms, file)
  return !isTestCode(file) || (room !== undefined && rooms[room]!.ofTests)
}

/** A list of more than what is used would let a new arrow in unseen. */
const checkUse = (rooms: Architecture, sources: readonly Source[]): string[] => {
  const used = new Set(
    sources
      .filter(({ file }) => isHeld(rooms, file))
      .flatMap(({ file, imports }) =>
        imports.map(({ target }) => `${roomOf(rooms, file)} ${roomOf(rooms, target)}`),
      ),
  )
  return Object.entries(rooms).flatMap(([room, { imports }]) =>
    imports
      .filter((other) => Object.hasOwn(rooms, other) && !used.has(`${room} ${other}`))
      .map((other) => `architecture.json: ${room} may import ${other}, which nothing but tests does`),
  )
}

const checkImports = (rooms: Architecture, { file, imports }: Source): string[] => {
  const from = roomOf(rooms, file)
  return imports.flatMap(({ target, line }) => {
    const to = roomOf(rooms, target)
    const at = `${file}:${line}`
    if (isTestCode(target) && !isTestCode(file)) return [`${at} imports ${target}, which is for tests only`]
    if (from === undefined || from === to) return []
    if (to === undefined) return [`${at} imports ${target}, which is in no room`]
    if (target !== `${to}/index.ts`) return [`${at} imports ${target} instead of ${to}/index.ts`]
    const allowed = !isHeld(rooms, file) || rooms[from]!.imports.includes(to)
    return allowed ? [] : [`${at} imports ${to}, which ${from} may not`]
  })
}

/** The room's own files list the peers; what two of them share lies in another room. */
const checkPeers = (rooms: Architecture, { file, imports }: Source): string[] => {
  const from = peerOf(rooms, file)
  if (from === undefined) return []
  const room = roomOf(rooms, file)
  return imports
    .filter(
      ({ target }) => roomOf(rooms, target) === room && ![undefined, from].includes(peerOf(rooms, target)),
    )
    .map(({ target, line }) => `${file}:${line} imports ${target}: peers of ${room} never import each other`)
}

const checkTime = (rooms: Architecture, { file, impurities }: Source): string[] => {
  const room = roomOf(rooms, file)
  if (room === undefined || room === 'src/kit' || rooms[room]!.ownTime || isTestCode(file)) return []
  return impurities.map(({ what, line }) => `${file}:${line} uses ${what}: time and chance come from src/kit`)
}

const checkKeys = (rooms: Architecture, { file, secrets }: Source): string[] => {
  const room = roomOf(rooms, file)
  if (room === undefined || rooms[room]!.ownKeys || isTestCode(file)) return []
  const makers = Object.keys(rooms).filter((one) => rooms[one]!.ownKeys)
  return secrets.map(
    ({ what, line }) => `${file}:${line} uses ${what}: only ${makers.join(' and ')} may make keys and tokens`,
  )
}

/** Everything that is wrong, sorted as it was found; an empty list is a clean house. */
export const findViolations = (root: string): string[] => {
  const rooms = readArchitecture(root)
  const sources = listSources(root, sourceFolders(rooms)).map((file) => parseSource(root, file))
  const graph = new Map(sources.map(({ file, imports }) => [file, imports.map(({ target }) => target)]))
  return [
    ...checkArrows(rooms),
    ...checkUse(rooms, sources),
    ...sources
      .filter(({ file }) => roomOf(rooms, file) === undefined)
      .map(({ file }) => `${file} is in no room of architecture.json`),
    ...sources.flatMap((source) => checkImports(rooms, source)),
    ...sources.flatMap((source) => checkPeers(rooms, source)),
    ...findCycles(graph).map((cycle) => `imports in a circle: ${cycle.join(' -> ')}`),
    ...sources
      .filter(({ lines }) => lines > LINES_ALLOWED)
      .map(({ file, lines }) => `${file} has ${lines} lines; ${LINES_ALLOWED} are allowed`),
    ...sources.flatMap((source) => checkTime(rooms, source)),
    ...sources.flatMap((source) => checkKeys(rooms, source)),
  ]
}
