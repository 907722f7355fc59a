/** The rules for architecture.json itself: few shelves, no imports of higher shelves, no cycles, no unused imports. */
import { type Architecture, type Rooms, roomOf, shelfOf } from './architecture.ts'
import { findCycles } from './find-cycles.ts'
import { isLimitedToListed } from './is-test-code.ts'
import type { Source } from './parse-source.ts'

const MAX_SHELVES = 8

const checkShelves = ({ shelves, rooms }: Architecture, folders: readonly string[]): string[] => {
  const unlisted = folders.filter((folder) => !shelves.includes(folder))
  const used = new Set(Object.keys(rooms).map(shelfOf))
  return [
    ...(shelves.length > MAX_SHELVES
      ? [`architecture.json lists ${shelves.length} shelves; ${MAX_SHELVES} are allowed`]
      : []),
    ...unlisted.map((folder) => `src/${folder} is not a shelf of architecture.json`),
    ...shelves
      .filter((shelf) => !used.has(shelf))
      .map((shelf) => `architecture.json: the shelf ${shelf} has no room`),
  ]
}

const checkListedImport = ({ shelves, apart }: Architecture, from: string, to: string): string[] => {
  const [toShelf, fromShelf] = [shelfOf(to), shelfOf(from)]
  if (toShelf === undefined && fromShelf !== undefined)
    return [`architecture.json: ${from} imports ${to}, which is outside src`]
  if (toShelf === undefined || fromShelf === undefined) return []
  if (shelves.indexOf(toShelf) > shelves.indexOf(fromShelf))
    return [`architecture.json: ${from} imports ${to}, but the shelf ${toShelf} is above ${fromShelf}`]
  const pair = apart.find(
    (shelfPair) => shelfPair.includes(toShelf) && shelfPair.includes(fromShelf) && toShelf !== fromShelf,
  )
  return pair === undefined
    ? []
    : [`architecture.json: ${from} imports ${to}, but ${pair.join(' and ')} must not import each other`]
}

const checkListedImports = (architecture: Architecture): string[] => {
  const { rooms } = architecture
  return Object.entries(rooms).flatMap(([room, { imports }]) =>
    imports.flatMap((other) =>
      Object.hasOwn(rooms, other)
        ? checkListedImport(architecture, room, other)
        : [`architecture.json: ${room} imports ${other}, which is not a room`],
    ),
  )
}

const checkCycles = (rooms: Rooms): string[] => {
  const graph = new Map(Object.entries(rooms).map(([room, { imports }]) => [room, imports]))
  return findCycles(graph).map((cycle) => `architecture.json: a cycle of rooms: ${cycle.join(' -> ')}`)
}

/** An unused entry would allow a new import without a review. */
const checkUnused = (rooms: Rooms, sources: readonly Source[]): string[] => {
  const used = new Set(
    sources
      .filter(({ file }) => isLimitedToListed(rooms, file))
      .flatMap(({ file, imports }) =>
        imports.map(({ target }) => `${roomOf(rooms, file)} ${roomOf(rooms, target)}`),
      ),
  )
  return Object.entries(rooms).flatMap(([room, { imports }]) =>
    imports
      .filter((other) => Object.hasOwn(rooms, other) && !used.has(`${room} ${other}`))
      .map((other) => `architecture.json: ${room} lists ${other}, but nothing outside tests imports it`),
  )
}

/** `folders` are the folders directly below `src`. */
export const checkArchitecture = (
  architecture: Architecture,
  folders: readonly string[],
  sources: readonly Source[],
): string[] => [
  ...checkShelves(architecture, folders),
  ...checkListedImports(architecture),
  ...checkCycles(architecture.rooms),
  ...checkUnused(architecture.rooms, sources),
]
