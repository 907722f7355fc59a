/** Throws if a path is a folder, a pipe or a device: reading a pipe would never end. */
import { statSync } from 'node:fs'
import { RemediumError } from '#spec'

export const checkRegularFile = (path: string): void => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || found.isFile()) return
  throw new RemediumError(
    'bad-argument',
    `${path} is ${found.isDirectory() ? 'a folder' : 'not a regular file'}.`,
  )
}
