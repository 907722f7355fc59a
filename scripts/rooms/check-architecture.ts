/** The rules for architecture.json itself: few shelves, arrows that point down, no cycles, no unused arrows. */
import { type Architecture, type Rooms, roomOf, shelfOf } from './architecture.ts'
import { findCycles } from './find-cycles.ts'
import { keepsToImports } from './is-test-code.ts'
import type { Source } from './parse-source.ts'

const MAX_SHELVES = 8

const checkShelves = ({ shelves, rooms }: Architecture, folders: readonly string[]): string[] => {
  const unlisted = folders.filter((folder) => !shelves.includes(folder))
  const used = new Set(Object.keys(rooms).map(shelfOf))
  return [
    ...(shelves.length > MAX_SHELVES
      ? [`architecture.json lists ${shelves.length} shelves; ${MAX_SHELVES} are allowed`]
      : []),
    ...unlisted.map((folder) => `src/${folder} is no shelf of architecture.json`),
    ...shelves
      .filter((shelf) => !used.has(shelf))
      .map((shelf) => `architecture.json: the shelf ${shelf} has no room`),
  ]
}

const checkArrow = ({ shelves, apart }: Architecture, from: string, to: string): string[] => {
  const [lower, upper] = [shelfOf(to), shelfOf(from)]
  if (lower === undefined && upper !== undefined)
    return [`architecture.json: ${from} imports ${to}, which lies outside src`]
  if (lower === undefined || upper === undefined) return []
  if (shelves.indexOf(lower) > shelves.indexOf(upper))
    return [`architecture.json: ${from} imports ${to}: an arrow up, from ${upper} to ${lower}`]
  const pair = apart.find((two) => two.includes(lower) && two.includes(upper) && lower !== upper)
  return pair === undefined
    ? []
    : [`architecture.json: ${from} imports ${to}: ${pair.join(' and ')} stay apart`]
}

const checkArrows = (architecture: Architecture): string[] => {
  const { rooms } = architecture
  return Object.entries(rooms).flatMap(([room, { imports }]) =>
    imports.flatMap((other) =>
      Object.hasOwn(rooms, other)
        ? checkArrow(architecture, room, other)
        : [`architecture.json: ${room} imports ${other}, which is no room`],
    ),
  )
}

const checkCycles = (rooms: Rooms): string[] => {
  const graph = new Map(Object.entries(rooms).map(([room, { imports }]) => [room, imports]))
  return findCycles(graph).map((cycle) => `architecture.json: a cycle of rooms: ${cycle.join(' -> ')}`)
}

/** An unused entry would let a new import in without review. */
const checkUnused = (rooms: Rooms, sources: readonly Source[]): string[] => {
  const used = new Set(
    sources
      .filter(({ file }) => keepsToImports(rooms, file))
      .flatMap(({ file, imports }) =>
        imports.map(({ target }) => `${roomOf(rooms, file)} ${roomOf(rooms, target)}`),
      ),
  )
  return Object.entries(rooms).flatMap(([room, { imports }]) =>
    imports
      .filter((other) => Object.hasOwn(rooms, other) && !used.has(`${room} ${other}`))
      .map((other) => `architecture.json: ${room} lists ${other}, which only tests import`),
  )
}

/** `folders` are the folders directly below `src`. */
export const checkArchitecture = (
  architecture: Architecture,
  folders: readonly string[],
  sources: readonly Source[],
): string[] => [
  ...checkShelves(architecture, folders),
  ...checkArrows(architecture),
  ...checkCycles(architecture.rooms),
  ...checkUnused(architecture.rooms, sources),
]
