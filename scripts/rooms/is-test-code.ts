/** Decides which files are test code: tests may import any room, and only tests may import test code. */
import { type Rooms, roomOf } from './architecture.ts'

export const isTestCode = (file: string): boolean => file.endsWith('.test.ts') || file.includes('/testing/')

/** Whether a file may import only the rooms that its own room lists. */
export const isLimitedToListed = (rooms: Rooms, file: string): boolean => {
  const room = roomOf(rooms, file)
  return !isTestCode(file) || (room !== undefined && rooms[room]!.ofTests)
}
