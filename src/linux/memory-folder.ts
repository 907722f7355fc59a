/** A folder in memory that belongs to a folder on disk. */
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync } from 'node:fs'
import { basename } from 'node:path'

/** As unique as the folder itself. Whoever removes the folder removes it too. */
export const memoryFolderOf = (folder: string): string => {
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 8)
  return `/dev/shm/remedium-${basename(folder)}-${digest}`
}

/**
 * Makes it, closed to other users, where it is not there. Everybody may make folders in memory: throws where somebody
 * else was faster, who could read and change all that comes to lie in it.
 */
export const makeMemoryFolder = (folder: string): string => {
  const path = memoryFolderOf(folder)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const found = lstatSync(path)
  if (!found.isDirectory() || found.uid !== process.getuid!() || (found.mode & 0o077) !== 0)
    throw new Error(`${path} is not a folder of our own: it must be removed first`)
  return path
}
