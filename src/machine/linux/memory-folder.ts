/** Creates a folder in memory that belongs to a folder on disk. */
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync } from 'node:fs'
import { basename } from 'node:path'
import { RemediumError } from '#spec'

/** Returns a path that is unique to the folder on disk. The caller must remove both folders together. */
export const memoryFolderOf = (folder: string): string => {
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 8)
  return `/dev/shm/remedium-${basename(folder)}-${digest}`
}

/**
 * Creates the folder without access for other users, if it does not exist. Throws if it belongs to another user or others
 * can access it: every user can create folders in /dev/shm, and could then read and change the content.
 */
export const createMemoryFolder = (folder: string): string => {
  const path = memoryFolderOf(folder)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const found = lstatSync(path)
  if (!found.isDirectory() || found.uid !== process.getuid!() || (found.mode & 0o077) !== 0)
    throw new RemediumError('not-permitted', `${path} belongs to another user or is accessible to others.`, {
      hint: 'Remove it, and try again.',
    })
  return path
}
