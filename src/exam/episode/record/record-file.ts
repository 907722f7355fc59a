/** The record of an episode as a file: one JSON line for each event, written as soon as the event is added. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { type EpisodeEvent, RemediumError } from '#spec'
import type { EventSink } from './event-log.ts'
import { createRecordParser } from './parse-record.ts'

export interface RecordFile {
  /** Throws if the event cannot be written. */
  readonly sink: EventSink
  close(): void
}

const toRecordLost = (path: string, cause: unknown): RemediumError =>
  new RemediumError('record-lost', `The record ${path} cannot be written: ${(cause as Error).message}.`, {
    cause,
    hint: 'Check that the disk is not full.',
  })

/** The file must not exist yet. */
export const createRecordFile = (path: string): RecordFile => {
  let file: number
  try {
    file = openSync(path, 'wx')
  } catch (cause) {
    throw toRecordLost(path, cause)
  }
  return {
    sink(event) {
      const line = Buffer.from(`${JSON.stringify(event)}\n`)
      try {
        for (let written = 0; written < line.length; ) written += writeSync(file, line, written)
      } catch (cause) {
        throw toRecordLost(path, cause)
      }
    },
    close: () => closeSync(file),
  }
}

const CHUNK_BYTES = 1_048_576
/** Longer than any event, and shorter than the longest string of Node.js. */
const MAX_LINE_BYTES = 268_435_456
const NEWLINE = 10

/** Reads line by line: a record can be longer than a string. Also yields an unterminated last line. */
function* readLines(file: number, path: string): Generator<{ line: string; isTerminated: boolean }> {
  let rest: Buffer[] = []
  let length = 0
  for (;;) {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    const read = readSync(file, chunk, 0, CHUNK_BYTES, null)
    if (read === 0) break
    let from = 0
    for (let to = chunk.indexOf(NEWLINE); to >= 0 && to < read; to = chunk.indexOf(NEWLINE, from)) {
      yield { line: Buffer.concat([...rest, chunk.subarray(from, to)]).toString('utf8'), isTerminated: true }
      from = to + 1
      rest = []
      length = 0
    }
    rest.push(chunk.subarray(from, read))
    length += read - from
    if (length > MAX_LINE_BYTES)
      throw new RemediumError('bad-file', `${path} has a line that is longer than any event.`)
  }
  if (length > 0) yield { line: Buffer.concat(rest).toString('utf8'), isTerminated: false }
}

const openForReading = (path: string): number => {
  try {
    return openSync(path, 'r')
  } catch (cause) {
    throw new RemediumError('bad-file', `The record ${path} cannot be read: ${(cause as Error).message}.`, {
      cause,
    })
  }
}

export interface ReadingOptions {
  /** Leaves out an unterminated last line, which may still be incomplete. */
  readonly isGrowing?: boolean
}

/** Throws an error that names the line and the problem if the file is not a record. */
export const readRecord = (path: string, { isGrowing = false }: ReadingOptions = {}): EpisodeEvent[] => {
  const parser = createRecordParser(path)
  const file = openForReading(path)
  try {
    for (const { line, isTerminated } of readLines(file, path))
      if (isTerminated || !isGrowing) parser.add(line)
  } finally {
    closeSync(file)
  }
  return parser.end()
}
