/** Files that lines are added to: none that is there already and is no plain file, such as a pipe that would never end. */
import { statSync } from 'node:fs'
import { RemediumError } from '../../spec/index.ts'

export const refuseStrangeFile = (path: string): void => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || found.isFile()) return
  throw new RemediumError('bad-argument', `${path} is ${found.isDirectory() ? 'a folder' : 'no plain file'}.`)
}
