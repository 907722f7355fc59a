/** The shelves and rooms that architecture.json declares, and the room of a file. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dirname } from 'node:path/posix'
import { z } from 'zod'

const Room = z.strictObject({
  about: z.string(),
  imports: z.array(z.string()),
  /** May read the clock and the random numbers of the operating system. */
  ownTime: z.boolean().default(false),
  /** May create keys and tokens, which must not be derived from a seed. */
  ownKeys: z.boolean().default(false),
  /** Contains only tests, which may nevertheless import only the listed rooms. */
  ofTests: z.boolean().default(false),
  /** The folders of the room never import each other. */
  peers: z.boolean().default(false),
})

const ArchitectureFile = z.strictObject({
  about: z.string(),
  /** The folders of `src`, lowest first: a shelf imports from itself and from the shelves before it. */
  shelves: z.record(z.string(), z.string()),
  /** Pairs of shelves that never import each other. */
  apart: z.array(z.tuple([z.string(), z.string()])),
  rooms: z.record(z.string(), Room),
})

export type Rooms = z.infer<typeof ArchitectureFile>['rooms']

export interface Architecture {
  readonly shelves: readonly string[]
  readonly apart: readonly (readonly [string, string])[]
  readonly rooms: Rooms
}

export const readArchitecture = (root: string): Architecture => {
  const file = ArchitectureFile.parse(JSON.parse(readFileSync(join(root, 'architecture.json'), 'utf8')))
  return { shelves: Object.keys(file.shelves), apart: file.apart, rooms: file.rooms }
}

/** The shelf of a path below `src`; undefined for everything else, such as `bench`. */
export const shelfOf = (path: string): string | undefined => {
  const [top, shelf] = path.split('/')
  return top === 'src' ? shelf : undefined
}

/** The top folders that contain source files: the first part of the path of every room. */
export const sourceFolders = (rooms: Rooms): string[] => [
  ...new Set(Object.keys(rooms).map((room) => room.split('/')[0]!)),
]

const containsRooms = (rooms: Rooms, room: string): boolean =>
  Object.keys(rooms).some((other) => other.startsWith(`${room}/`))

/** The peer folder that a file belongs to; undefined for files directly in the room and in `testing`. */
export const peerOf = (rooms: Rooms, file: string): string | undefined => {
  const room = roomOf(rooms, file)
  if (room === undefined || !rooms[room]!.peers) return undefined
  const [peer, ...below] = file.slice(room.length + 1).split('/')
  return below.length === 0 || peer === 'testing' ? undefined : peer
}

/** The room of a file; a room that contains rooms owns only the files directly in it. */
export const roomOf = (rooms: Rooms, file: string): string | undefined => {
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
    if (!Object.hasOwn(rooms, folder)) continue
    return dirname(file) === folder || !containsRooms(rooms, folder) ? folder : undefined
  }
  return undefined
}
