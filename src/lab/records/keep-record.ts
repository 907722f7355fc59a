/** Writes the record of an attempt to a file that gets its final name when the record is complete. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { createRecordFile } from '#exam/episode'
import { type EpisodeEvent, RemediumError } from '#spec'
import { RECORD_SUFFIX } from './record-path.ts'

/** The suffix of unfinished records. */
export const DRAFT_SUFFIX = '.part'

export interface KeptRecord {
  sink(event: EpisodeEvent): void
  /** Gives the record its final name; it is on disk when this returns. If it throws, the draft is removed. */
  finish(): void
  /** Keeps the record of a void attempt next to the other records, as `NAME.void-1.jsonl`. Keeps nothing if the disk is full. */
  finishVoid(): void
  /** Closes the draft and leaves it to the process that started this worker; see `keepVoidRecord`. */
  leave(): void
  /** Removes the record, unless it is finished. */
  discard(): void
}

const flush = (path: string): void => {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

const toRecordLostError = (path: string, cause: unknown): RemediumError =>
  new RemediumError('record-lost', `The record ${path} cannot be written: ${(cause as Error).message}.`, {
    hint: 'Check that the disk is not full.',
    cause,
  })

/** The first free name for the record of a void try. */
const voidPathFor = (path: string): string => {
  const stem = path.slice(0, -RECORD_SUFFIX.length)
  for (let number = 1; ; number += 1) {
    const name = `${stem}.void-${number}${RECORD_SUFFIX}`
    if (!existsSync(name)) return name
  }
}

export const draftPathOf = (path: string, pid: number): string => `${path}.${pid}${DRAFT_SUFFIX}`

/** Makes the draft of another process, which has ended, one of this process. Does nothing if there is none. */
export const adoptDraft = (path: string, pid: number): void => {
  const draft = draftPathOf(path, pid)
  if (existsSync(draft)) renameSync(draft, draftPathOf(path, process.pid))
}

/** Events after the end are ignored. Without a path, no file is written. */
export const keepRecord = (path: string | undefined): KeptRecord => {
  if (path === undefined) return { sink() {}, finish() {}, finishVoid() {}, leave() {}, discard() {} }
  const draft = draftPathOf(path, process.pid)
  const remove = (): void => rmSync(draft, { force: true })
  remove()
  const file = createRecordFile(draft)
  let isOpen = true
  const close = (): void => {
    if (!isOpen) return
    isOpen = false
    file.close()
  }
  const finishAs = (name: string): void => {
    try {
      close()
      flush(draft)
      renameSync(draft, name)
    } catch (cause) {
      remove()
      throw toRecordLostError(path, cause)
    }
  }
  return {
    sink(event) {
      if (isOpen) file.sink(event)
    },
    finish: () => finishAs(path),
    finishVoid() {
      try {
        finishAs(voidPathFor(path))
      } catch {
        // The episode is already void, possibly because the disk is full.
      }
    },
    leave: close,
    discard() {
      close()
      remove()
    },
  }
}
