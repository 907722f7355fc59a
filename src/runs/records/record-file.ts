/** The record of an episode as a file: a JSON line for each event, compressed. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { EPISODE_SCHEMA, type EpisodeEvent, RemediumError } from '../../spec/index.ts'

export const RECORD_SUFFIX = '.jsonl.gz'

/** Of names that a file may have everywhere. */
const toFileName = (text: string): string => text.replaceAll(/[^\w.-]+/g, '-')

export const recordPathOf = (folder: string, problem: string, attempt: string): string =>
  join(folder, `${toFileName(problem)}.${toFileName(attempt)}${RECORD_SUFFIX}`)

/** Whole or not at all. */
export const writeRecord = (path: string, events: readonly EpisodeEvent[]): void => {
  const draft = `${path}.part`
  try {
    writeFileSync(draft, gzipSync(events.map((event) => `${JSON.stringify(event)}\n`).join('')))
    renameSync(draft, path)
  } catch (cause) {
    rmSync(draft, { force: true })
    throw new RemediumError(
      'record-lost',
      `The record cannot be written to ${path}: ${(cause as Error).message}.`,
      {
        hint: 'Make room on the disk, or name another folder with --records.',
        cause,
      },
    )
  }
}

const bad = (path: string, what: string, cause?: unknown): RemediumError =>
  new RemediumError('bad-file', `${path} ${what}.`, { cause })

const readText = (path: string): string => {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (cause) {
    throw bad(path, 'cannot be read', cause)
  }
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b
  try {
    return (isCompressed ? gunzipSync(bytes) : bytes).toString('utf8')
  } catch (cause) {
    throw bad(path, 'is damaged: it cannot be decompressed', cause)
  }
}

/** Compressed or not. */
export const readRecord = (path: string): EpisodeEvent[] => {
  const lines = readText(path).split('\n')
  if (lines.at(-1) === '') lines.pop()
  const events = lines.map((line, index): EpisodeEvent => {
    try {
      return JSON.parse(line)
    } catch (cause) {
      throw bad(path, `has no event in line ${index + 1}`, cause)
    }
  })
  const [first] = events
  if (first?.type !== 'episode-began')
    throw bad(path, 'is no record of an episode: it does not say how one began')
  if (first.schema !== EPISODE_SCHEMA)
    throw bad(path, `is a record of schema ${first.schema}; this version of Remedium reads ${EPISODE_SCHEMA}`)
  return events
}
