/** The rules for the imports of one file: only listed rooms, through index.ts, written with `#` across rooms. */
import { peerOf, type Rooms, roomOf } from './architecture.ts'
import { isLimitedToListed, isTestCode } from './is-test-code.ts'
import type { Import, Source } from './parse-source.ts'

const checkSpelling = (location: string, { specifier, target }: Import, crossesRooms: boolean): string[] => {
  if (crossesRooms && specifier.startsWith('.'))
    return [
      `${location} imports ${specifier}: write #${target.replace(/^src\//, '').replace(/\/[^/]*$/, '')} across rooms`,
    ]
  if (!crossesRooms && specifier.startsWith('#'))
    return [`${location} imports ${specifier}: write a relative path inside a room`]
  return []
}

const checkImport = (rooms: Rooms, file: string, imported: Import): string[] => {
  const from = roomOf(rooms, file)
  const to = roomOf(rooms, imported.target)
  const location = `${file}:${imported.line}`
  if (isTestCode(imported.target) && !isTestCode(file))
    return [`${location} imports ${imported.target}, which is for tests only`]
  if (from === undefined) return []
  if (from === to) return checkSpelling(location, imported, false)
  if (to === undefined) return [`${location} imports ${imported.target}, which is in no room`]
  if (imported.target !== `${to}/index.ts`)
    return [`${location} imports ${imported.target} instead of ${to}/index.ts`]
  const isAllowed = !isLimitedToListed(rooms, file) || rooms[from]!.imports.includes(to)
  return isAllowed
    ? checkSpelling(location, imported, true)
    : [`${location} imports ${to}, which ${from} does not list`]
}

/** Only files directly in a room of peers may import the peers. */
const checkPeers = (rooms: Rooms, { file, imports }: Source): string[] => {
  const from = peerOf(rooms, file)
  if (from === undefined) return []
  const room = roomOf(rooms, file)
  return imports
    .filter(({ target }) => roomOf(rooms, target) === room)
    .filter(({ target }) => ![undefined, from].includes(peerOf(rooms, target)))
    .map(({ target, line }) => `${file}:${line} imports ${target}: peers of ${room} never import each other`)
}

export const checkImports = (rooms: Rooms, source: Source): string[] => [
  ...source.imports.flatMap((imported) => checkImport(rooms, source.file, imported)),
  ...checkPeers(rooms, source),
]
