/** The rooms as architecture.json declares them, and which room a file belongs to. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dirname } from 'node:path/posix'
import { z } from 'zod'

const Room = z.strictObject({
  about: z.string(),
  imports: z.array(z.string()),
  /** May read the clock and the dice of the operating system. */
  ownTime: z.boolean().default(false),
  /** May make keys and tokens, which must not follow from a seed. */
  ownKeys: z.boolean().default(false),
  /** Is made of tests, which elsewhere may reach along any arrow: here only along those listed. */
  ofTests: z.boolean().default(false),
  /** Each of its folders is a thing of its own, and none of them imports another. */
  peers: z.boolean().default(false),
})

const ArchitectureFile = z.strictObject({ about: z.string(), rooms: z.record(z.string(), Room) })

export type Architecture = z.infer<typeof ArchitectureFile>['rooms']

export const readArchitecture = (root: string): Architecture =>
  ArchitectureFile.parse(JSON.parse(readFileSync(join(root, 'architecture.json'), 'utf8'))).rooms

/** Folders of the root that hold source at all: the first part of every room. */
export const sourceFolders = (rooms: Architecture): string[] => [
  ...new Set(Object.keys(rooms).map((room) => room.split('/')[0]!)),
]

const holdsRooms = (rooms: Architecture, room: string): boolean =>
  Object.keys(rooms).some((other) => other.startsWith(`${room}/`))

/** The folder of a room of peers that a file belongs to; none for what lies directly in the room. */
export const peerOf = (rooms: Architecture, file: string): string | undefined => {
  const room = roomOf(rooms, file)
  if (room === undefined || !rooms[room]!.peers) return undefined
  const [peer, ...below] = file.slice(room.length + 1).split('/')
  // What tests share is nobody's peer.
  return below.length === 0 || peer === 'testing' ? undefined : peer
}

/** The room of a file; a room with rooms inside it owns only the files that lie directly in it. */
export const roomOf = (rooms: Architecture, file: string): string | undefined => {
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
    if (!Object.hasOwn(rooms, folder)) continue
    return dirname(file) === folder || !holdsRooms(rooms, folder) ? folder : undefined
  }
  return undefined
}
