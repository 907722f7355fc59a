/** Names runs by their folders. */
import { resolve } from 'node:path'
import { RemediumError } from '#spec'

/** Returns the last parts of each path, as few as make the names unique. Throws if a folder is given twice. */
export const toRunNames = (folders: readonly string[]): string[] => {
  const paths = folders.map((folder) => resolve(folder))
  const duplicate = paths.findIndex((path, index) => paths.indexOf(path) !== index)
  if (duplicate >= 0) throw new RemediumError('bad-argument', `The run ${folders[duplicate]} is given twice.`)
  const namesOf = (parts: number): string[] =>
    paths.map((path) => path.split('/').filter(Boolean).slice(-parts).join('/'))
  const isDistinct = (names: readonly string[]): boolean => new Set(names).size === names.length
  let parts = 1
  while (!isDistinct(namesOf(parts))) parts += 1
  return namesOf(parts)
}
