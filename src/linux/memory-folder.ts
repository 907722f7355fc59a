/** A folder in memory that belongs to a folder on disk. */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'

/** As unique as the folder itself. It is not made here; whoever removes the folder removes it too. */
export const memoryFolderOf = (folder: string): string => {
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 8)
  return `/dev/shm/remedium-${basename(folder)}-${digest}`
}
