/** The record of an episode in a file: a JSON line for each event, written as it comes, and read back with suspicion. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { type EpisodeEvent, RemediumError } from '../spec/index.ts'
import type { EventSink } from './event-log.ts'
import { createRecordParser } from './parse-record.ts'

export interface RecordFile {
  /** Throws where the event cannot be kept. */
  readonly sink: EventSink
  close(): void
}

const lost = (path: string, cause: unknown): RemediumError =>
  new RemediumError('record-lost', `The record ${path} cannot be written: ${(cause as Error).message}.`, {
    cause,
    hint: 'See whether the disk is full.',
  })

/** The file must not be there yet. */
export const createRecordFile = (path: string): RecordFile => {
  let file: number
  try {
    file = openSync(path, 'wx')
  } catch (cause) {
    throw lost(path, cause)
  }
  return {
    sink(event) {
      const line = Buffer.from(`${JSON.stringify(event)}\n`)
      try {
        for (let written = 0; written < line.length; ) written += writeSync(file, line, written)
      } catch (cause) {
        throw lost(path, cause)
      }
    },
    close: () => closeSync(file),
  }
}

const PIECE = 1_048_576
/** More than any event has, and less than what Node makes a text of. */
const MOST_OF_A_LINE = 268_435_456
const NEWLINE = 10

/** One after another: a whole record may be more than a text can hold. The last comes without its line break, too. */
function* linesOf(file: number, path: string): Generator<{ line: string; isWhole: boolean }> {
  let rest: Buffer[] = []
  let length = 0
  for (;;) {
    const piece = Buffer.alloc(PIECE)
    const read = readSync(file, piece, 0, PIECE, null)
    if (read === 0) break
    let from = 0
    for (let to = piece.indexOf(NEWLINE); to >= 0 && to < read; to = piece.indexOf(NEWLINE, from)) {
      yield { line: Buffer.concat([...rest, piece.subarray(from, to)]).toString('utf8'), isWhole: true }
      from = to + 1
      rest = []
      length = 0
    }
    rest.push(piece.subarray(from, read))
    length += read - from
    if (length > MOST_OF_A_LINE)
      throw new RemediumError('bad-file', `${path} has a line that is too long for a record.`)
  }
  if (length > 0) yield { line: Buffer.concat(rest).toString('utf8'), isWhole: false }
}

const open = (path: string): number => {
  try {
    return openSync(path, 'r')
  } catch (cause) {
    throw new RemediumError('bad-file', `The record ${path} cannot be read: ${(cause as Error).message}.`, {
      cause,
    })
  }
}

export interface ReadingOptions {
  /** A last line without its line break, which somebody may be writing, is left out. */
  readonly isGrowing?: boolean
}

/** Throws where it is no record, with the line and what is wrong. */
export const readRecord = (path: string, { isGrowing = false }: ReadingOptions = {}): EpisodeEvent[] => {
  const parser = createRecordParser(path)
  const file = open(path)
  try {
    for (const { line, isWhole } of linesOf(file, path)) if (isWhole || !isGrowing) parser.add(line)
  } finally {
    closeSync(file)
  }
  return parser.end()
}
