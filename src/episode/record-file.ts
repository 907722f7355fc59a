/** The record of an episode in a file: a JSON line for each event, written as it comes, and read back with suspicion. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { type EpisodeEvent, RemediumError } from '../spec/index.ts'
import type { EventSink } from './event-log.ts'
import { parseRecord } from './parse-record.ts'

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

/** Throws where it is no record, with the line and what is wrong. */
export const readRecord = (path: string): EpisodeEvent[] => {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new RemediumError('bad-file', `The record ${path} cannot be read: ${(cause as Error).message}.`, {
      cause,
    })
  }
  return parseRecord(text, path)
}
