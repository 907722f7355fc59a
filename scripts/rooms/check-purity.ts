/** The rules for clocks, random numbers and keys: only rooms that declare it may take them from the operating system. */
import { type Rooms, roomOf } from './architecture.ts'
import { isTestCode } from './is-test-code.ts'
import type { Source } from './parse-source.ts'

const checkTime = (rooms: Rooms, { file, impurities }: Source): string[] => {
  const room = roomOf(rooms, file)
  if (room === undefined || room === 'src/kit' || rooms[room]!.ownTime || isTestCode(file)) return []
  return impurities.map(
    ({ what, line }) => `${file}:${line} uses ${what}: use the clock and the random numbers of src/kit`,
  )
}

const checkKeys = (rooms: Rooms, { file, secrets }: Source): string[] => {
  const room = roomOf(rooms, file)
  if (room === undefined || rooms[room]!.ownKeys || isTestCode(file)) return []
  const allowed = Object.keys(rooms).filter((name) => rooms[name]!.ownKeys)
  return secrets.map(
    ({ what, line }) =>
      `${file}:${line} uses ${what}: only ${allowed.join(' and ')} may create keys and tokens`,
  )
}

export const checkPurity = (rooms: Rooms, source: Source): string[] => [
  ...checkTime(rooms, source),
  ...checkKeys(rooms, source),
]
