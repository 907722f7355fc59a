/** Compares two folders, even with large files and concurrent writers. */
import type { Stats } from 'node:fs'
import { type FileHandle, lstat, open, readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Copies preserve times with a resolution of one microsecond. */
const TIME_TOLERANCE_MS = 1
const CHUNK_BYTES = 1 << 20

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''
/** Errors that mean a difference: a file disappeared, or its path is too long to be in a copy. */
const DIFFERENCE_CODES = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

const namesIn = async (folder: string): Promise<string[]> => {
  try {
    return (await readdir(folder)).sort()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

const hasSameChunks = async (left: FileHandle, right: FileHandle): Promise<boolean> => {
  const [a, b] = [Buffer.alloc(CHUNK_BYTES), Buffer.alloc(CHUNK_BYTES)]
  for (let position = 0; ; position += CHUNK_BYTES) {
    const [{ bytesRead: first }, { bytesRead: second }] = await Promise.all([
      left.read(a, 0, CHUNK_BYTES, position),
      right.read(b, 0, CHUNK_BYTES, position),
    ])
    if (first !== second || !a.subarray(0, first).equals(b.subarray(0, second))) return false
    if (first < CHUNK_BYTES) return true
  }
}

const isSameContent = async (left: string, right: string): Promise<boolean> => {
  await using first = await open(left)
  await using second = await open(right)
  return await hasSameChunks(first, second)
}

/**
 * Whether the file has not been written since it was copied. A program can set the mtime of a file, but not
 * its ctime. Two changes within one tick of the kernel have the same ctime, so equal times prove nothing.
 */
const isUntouched = (copy: Stats, file: Stats): boolean =>
  Math.abs(copy.mtimeMs - file.mtimeMs) <= TIME_TOLERANCE_MS && file.ctimeMs < copy.ctimeMs

const isSameEntry = async (left: string, right: string): Promise<boolean> => {
  const [a, b]: [Stats, Stats] = [await lstat(left), await lstat(right)]
  if (a.mode !== b.mode || a.uid !== b.uid || a.gid !== b.gid) return false
  if (a.isDirectory()) return await hasSameEntries(left, right)
  if (a.isSymbolicLink()) return (await readlink(left)) === (await readlink(right))
  if (!a.isFile()) return true
  if (a.size !== b.size) return false
  return isUntouched(a, b) || (await isSameContent(left, right))
}

const hasSameEntries = async (left: string, right: string): Promise<boolean> => {
  const names = await namesIn(left)
  if (names.join('\0') !== (await namesIn(right)).join('\0')) return false
  for (const name of names) if (!(await isSameEntry(join(left, name), join(right, name)))) return false
  return true
}

/** Whether two folders have the same content. `left` is the copy. A missing folder counts as empty. */
export const isSameTree = async (left: string, right: string): Promise<boolean> => {
  try {
    return await hasSameEntries(left, right)
  } catch (error) {
    if (DIFFERENCE_CODES.has(codeOf(error))) return false
    throw error
  }
}
