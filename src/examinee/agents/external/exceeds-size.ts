/** Measures whether the files of a folder occupy more than a limit. */
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'

/** Each entry counts as one block at least, so that a limit of bytes also limits the number of files. */
const BLOCK = 4096
const SECTOR = 512

/** Stops at the limit. Follows no links. Ignores entries that are removed during the measurement. */
export const exceedsSize = async (folder: string, maxBytes: number): Promise<boolean> => {
  let bytes = 0
  const pending = [folder]
  for (const current of pending) {
    const entries = await opendir(current).catch(() => [])
    for await (const entry of entries) {
      const path = join(current, entry.name)
      const found = await lstat(path).catch(() => undefined)
      if (found === undefined) continue
      bytes += Math.max(BLOCK, found.blocks * SECTOR)
      if (bytes > maxBytes) return true
      if (found.isDirectory()) pending.push(path)
    }
  }
  return false
}
