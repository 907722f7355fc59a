/** Measures whether the files in a folder occupy more bytes than a limit. */
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'

/** Each entry counts as at least one block, so that a byte limit also limits the number of files. */
const BLOCK_BYTES = 4096
const SECTOR_BYTES = 512

/** Stops at the limit. Follows no links. Ignores entries that are removed during the measurement. */
export const exceedsSize = async (folder: string, maxBytes: number): Promise<boolean> => {
  let bytes = 0
  const pending = [folder]
  for (const current of pending) {
    const entries = await opendir(current).catch(() => [])
    for await (const entry of entries) {
      const path = join(current, entry.name)
      const stats = await lstat(path).catch(() => undefined)
      if (stats === undefined) continue
      bytes += Math.max(BLOCK_BYTES, stats.blocks * SECTOR_BYTES)
      if (bytes > maxBytes) return true
      if (stats.isDirectory()) pending.push(path)
    }
  }
  return false
}
