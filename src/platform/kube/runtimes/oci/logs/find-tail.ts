/** Finds the start of the last lines of a log, searching from its end. */
import { closeSync, openSync, readSync } from 'node:fs'
import { NEWLINE } from '#platform/kube/containers'
import type { LogFile } from './log-files.ts'

const BLOCK_BYTES = 64 * 1024

export interface LogPosition {
  /** The file's number. */
  number: number
  offset: number
}

/** The offset at which the last `lineCount` lines start, or the number of lines if the file has fewer. */
const searchFile = ({ path, bytes }: LogFile, lineCount: number): { offset: number } | { lines: number } => {
  const fd = openSync(path, 'r')
  const block = Buffer.allocUnsafe(BLOCK_BYTES)
  let lines = 0
  try {
    for (let end = bytes; end > 0; end -= BLOCK_BYTES) {
      const start = Math.max(0, end - BLOCK_BYTES)
      const filled = block.subarray(0, readSync(fd, block, 0, end - start, start))
      // Searches for the newline before the first of these lines: `lineCount` + 1 newlines from the end.
      for (
        let at = filled.lastIndexOf(NEWLINE);
        at >= 0;
        at = at === 0 ? -1 : filled.lastIndexOf(NEWLINE, at - 1)
      ) {
        if (lines === lineCount) return { offset: start + at + 1 }
        lines += 1
      }
    }
    return lines === lineCount ? { offset: 0 } : { lines }
  } finally {
    closeSync(fd)
  }
}

export const findTail = (files: readonly LogFile[], lineCount: number): LogPosition => {
  const newest = files.at(-1)!
  if (lineCount === 0) return { number: newest.number, offset: newest.bytes }
  let linesLeft = lineCount
  for (const file of files.toReversed()) {
    const found = searchFile(file, linesLeft)
    if ('offset' in found) return { number: file.number, offset: found.offset }
    linesLeft -= found.lines
  }
  return { number: files[0]!.number, offset: 0 }
}
