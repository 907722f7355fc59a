/** A file of JSON lines that only grows: each line is on disk when it was added, and a torn last one is taken away. */
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { RemediumError } from '../../spec/index.ts'
import { refuseStrangeFile } from './refuse-strange-file.ts'

export interface LineFile {
  /** What it held when it was opened. */
  readonly values: readonly unknown[]
  /** What came after the last line break: cut off when somebody was killed, and gone with the first line that is added. */
  readonly torn: string
  /** On disk when it returns; nothing of the line is left in the file where it throws. */
  add(value: unknown): void
  close(): void
}

const NEWLINE = 10

/** In bytes, since what is no text has another length once it was read as such. */
const wholeLength = (content: Buffer): number => content.lastIndexOf(NEWLINE) + 1

const parseLines = (content: Buffer, path: string): unknown[] =>
  content
    .toString('utf8')
    .split('\n')
    .slice(0, -1)
    .map((line, index) => {
      try {
        return JSON.parse(line)
      } catch (cause) {
        throw new RemediumError('bad-file', `${path}, line ${index + 1}, is not JSON.`, { cause })
      }
    })

/** For those who only read; a last line that is being written is left out. */
export const readLineFile = (path: string): unknown[] => parseLines(readFileSync(path), path)

const append = (file: number, path: string, value: unknown): void => {
  const before = fstatSync(file).size
  try {
    const line = Buffer.from(`${JSON.stringify(value)}\n`)
    for (let written = 0; written < line.length; ) written += writeSync(file, line, written)
    fsyncSync(file)
  } catch (cause) {
    ftruncateSync(file, before)
    throw new RemediumError(
      'record-lost',
      `${path} cannot be written to any more: ${(cause as Error).message}.`,
      { hint: 'What it holds already is kept; make room and go on with the same command.', cause },
    )
  }
}

const openToAdd = (path: string): number => {
  try {
    return openSync(path, 'a+', 0o644)
  } catch (cause) {
    throw new RemediumError('bad-argument', `${path} cannot be written to.`, {
      hint: 'See who may write to it.',
      cause,
    })
  }
}

export const openLineFile = (path: string): LineFile => {
  refuseStrangeFile(path)
  const file = openToAdd(path)
  try {
    const content = readFileSync(path)
    const length = wholeLength(content)
    let isTorn = length < content.length
    return {
      values: parseLines(content.subarray(0, length), path),
      torn: content.subarray(length).toString('utf8'),
      add(value) {
        // Not before: whoever opened it may find that it is another file than was meant.
        if (isTorn) ftruncateSync(file, length)
        isTorn = false
        append(file, path, value)
      },
      close: () => closeSync(file),
    }
  } catch (error) {
    closeSync(file)
    throw error
  }
}
