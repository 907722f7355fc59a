/** Where the last lines of a log begin, found from its end. */
import { closeSync, openSync, readSync } from 'node:fs'
import type { LogFile } from './log-files.ts'
import { NEWLINE } from './log-line.ts'

const BLOCK_BYTES = 64 * 1024

export interface LogPosition {
  /** The number of the file. */
  number: number
  offset: number
}

/** The start of the last `wanted` lines of one file, or how many it has where those are fewer. */
const searchFile = ({ path, bytes }: LogFile, wanted: number): { offset: number } | { lines: number } => {
  const fd = openSync(path, 'r')
  const block = Buffer.allocUnsafe(BLOCK_BYTES)
  let lines = 0
  try {
    for (let end = bytes; end > 0; end -= BLOCK_BYTES) {
      const start = Math.max(0, end - BLOCK_BYTES)
      const filled = block.subarray(0, readSync(fd, block, 0, end - start, start))
      // The end of the line before the first wanted one is looked for: one more than the wanted ends.
      for (
        let at = filled.lastIndexOf(NEWLINE);
        at >= 0;
        at = at === 0 ? -1 : filled.lastIndexOf(NEWLINE, at - 1)
      ) {
        if (lines === wanted) return { offset: start + at + 1 }
        lines += 1
      }
    }
    return lines === wanted ? { offset: 0 } : { lines }
  } finally {
    closeSync(fd)
  }
}

export const findTail = (files: readonly LogFile[], wanted: number): LogPosition => {
  const newest = files.at(-1)!
  if (wanted === 0) return { number: newest.number, offset: newest.bytes }
  let left = wanted
  for (const file of files.toReversed()) {
    const found = searchFile(file, left)
    if ('offset' in found) return { number: file.number, offset: found.offset }
    left -= found.lines
  }
  return { number: files[0]!.number, offset: 0 }
}
