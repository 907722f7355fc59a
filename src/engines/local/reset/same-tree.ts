/** Whether two folders hold the same, however large their files and whoever writes to them meanwhile. */
import type { Stats } from 'node:fs'
import { type FileHandle, lstat, open, readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Copies keep times to the microsecond. */
const SAME_TIME_MS = 1
const PIECE = 1 << 20

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''
/** Gone between being listed and being looked at; or deeper than any path leads, as no copy is. */
const DIFFERENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

const namesIn = async (folder: string): Promise<string[]> => {
  try {
    return (await readdir(folder)).sort()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

const comparePieces = async (one: FileHandle, other: FileHandle): Promise<boolean> => {
  const [a, b] = [Buffer.alloc(PIECE), Buffer.alloc(PIECE)]
  for (let position = 0; ; position += PIECE) {
    const [{ bytesRead: first }, { bytesRead: second }] = await Promise.all([
      one.read(a, 0, PIECE, position),
      other.read(b, 0, PIECE, position),
    ])
    if (first !== second || !a.subarray(0, first).equals(b.subarray(0, second))) return false
    if (first < PIECE) return true
  }
}

const isSameContent = async (one: string, other: string): Promise<boolean> => {
  await using first = await open(one)
  await using second = await open(other)
  return await comparePieces(first, second)
}

const isSameEntry = async (one: string, other: string): Promise<boolean> => {
  const [a, b]: [Stats, Stats] = [await lstat(one), await lstat(other)]
  if (a.mode !== b.mode || a.uid !== b.uid || a.gid !== b.gid) return false
  if (a.isDirectory()) return await hasSameEntries(one, other)
  if (a.isSymbolicLink()) return (await readlink(one)) === (await readlink(other))
  if (!a.isFile()) return true
  if (a.size !== b.size) return false
  return Math.abs(a.mtimeMs - b.mtimeMs) <= SAME_TIME_MS || (await isSameContent(one, other))
}

const hasSameEntries = async (one: string, other: string): Promise<boolean> => {
  const names = await namesIn(one)
  if (names.join('\0') !== (await namesIn(other)).join('\0')) return false
  for (const name of names) if (!(await isSameEntry(join(one, name), join(other, name)))) return false
  return true
}

/** A folder that is not there holds nothing. */
export const isSameTree = async (one: string, other: string): Promise<boolean> => {
  try {
    return await hasSameEntries(one, other)
  } catch (error) {
    if (DIFFERENT.has(codeOf(error))) return false
    throw error
  }
}
