/** An append-only file of JSON lines. Flushes each added line to disk; removes an incomplete last line. */
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { RemediumError } from '#spec'
import { checkRegularFile } from './check-regular-file.ts'

export interface LineFile {
  /** The values that the file contained when it was opened. */
  readonly values: readonly unknown[]
  /** The text after the last line break, left by a killed process. The first added line replaces it. */
  readonly torn: string
  /** The line is on disk when this returns. If it throws, the file is unchanged. */
  add(value: unknown): void
  close(): void
}

const NEWLINE = 10

/** The length of all complete lines in bytes. Text decoded from invalid UTF-8 would have another length. */
const completeLength = (content: Buffer): number => content.lastIndexOf(NEWLINE) + 1

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

/** Does not change the file; omits an incomplete last line. */
export const readLineFile = (path: string): unknown[] => parseLines(readFileSync(path), path)

const append = (file: number, path: string, value: unknown): void => {
  const before = fstatSync(file).size
  try {
    const line = Buffer.from(`${JSON.stringify(value)}\n`)
    for (let written = 0; written < line.length; ) written += writeSync(file, line, written)
    fsyncSync(file)
  } catch (cause) {
    ftruncateSync(file, before)
    throw new RemediumError('record-lost', `${path} cannot be written to: ${(cause as Error).message}.`, {
      hint: 'Its lines are kept. Free disk space and repeat the command.',
      cause,
    })
  }
}

const openForAppending = (path: string): number => {
  try {
    return openSync(path, 'a+', 0o644)
  } catch (cause) {
    throw new RemediumError('bad-argument', `${path} cannot be written to.`, {
      hint: 'Check its permissions.',
      cause,
    })
  }
}

export const openLineFile = (path: string): LineFile => {
  checkRegularFile(path)
  const file = openForAppending(path)
  try {
    const content = readFileSync(path)
    const length = completeLength(content)
    let isTorn = length < content.length
    return {
      values: parseLines(content.subarray(0, length), path),
      torn: content.subarray(length).toString('utf8'),
      add(value) {
        // Not truncated when opened, because the caller may then find that this is the wrong file.
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
