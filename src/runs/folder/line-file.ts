/** A file of JSON lines that only grows: each line is on disk when it was added, and a torn last one is taken away. */
import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { RemediumError } from '../../spec/index.ts'

export interface LineFile {
  /** What it held when it was opened. */
  readonly values: readonly unknown[]
  /** On disk when it returns. */
  add(value: unknown): void
  close(): void
}

/** What comes after the last line break was cut off when somebody was killed. */
const wholeLines = (text: string): string => text.slice(0, text.lastIndexOf('\n') + 1)

const parseLines = (text: string, path: string): unknown[] =>
  text
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
export const readLineFile = (path: string): unknown[] =>
  parseLines(wholeLines(readFileSync(path, 'utf8')), path)

export const openLineFile = (path: string): LineFile => {
  const file = openSync(path, 'a+', 0o644)
  try {
    const whole = wholeLines(readFileSync(path, 'utf8'))
    const values = parseLines(whole, path)
    let isTorn = true
    return {
      values,
      add(value) {
        // Not before: whoever opened it may find that it is another file than was meant.
        if (isTorn) ftruncateSync(file, Buffer.byteLength(whole))
        isTorn = false
        const line = Buffer.from(`${JSON.stringify(value)}\n`)
        for (let written = 0; written < line.length; ) written += writeSync(file, line, written)
        fsyncSync(file)
      },
      close: () => closeSync(file),
    }
  } catch (error) {
    closeSync(file)
    throw error
  }
}
