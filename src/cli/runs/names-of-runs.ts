/** What several runs are called beside each other. */
import { resolve } from 'node:path'
import { RemediumError } from '../../spec/index.ts'

/** As much of the end of each folder's path as tells them apart; throws where one is named twice. */
export const namesOfRuns = (folders: readonly string[]): string[] => {
  const paths = folders.map((folder) => resolve(folder))
  const twice = paths.findIndex((path, index) => paths.indexOf(path) !== index)
  if (twice >= 0) throw new RemediumError('bad-argument', `The run ${folders[twice]} is named twice.`)
  const namesOf = (parts: number): string[] =>
    paths.map((path) => path.split('/').filter(Boolean).slice(-parts).join('/'))
  const isDistinct = (names: readonly string[]): boolean => new Set(names).size === names.length
  let parts = 1
  while (!isDistinct(namesOf(parts))) parts += 1
  return namesOf(parts)
}
