/** The record of an attempt while it is made: under its own name only when it is whole. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { createRecordFile } from '../../episode/index.ts'
import { type EpisodeEvent, RemediumError } from '../../spec/index.ts'

/** Of files that somebody has not finished. */
export const DRAFT_SUFFIX = '.part'

export interface KeptRecord {
  readonly options: { sink?(event: EpisodeEvent): void }
  /** On disk when it returns; nothing of it is left where it throws. */
  finish(): void
  /** May be called whatever became of it before. */
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

/** What comes after the end is of the laboratory, not of the attempt. Nothing is kept without a path. */
export const keepRecord = (path: string | undefined): KeptRecord => {
  if (path === undefined) return { options: {}, finish() {}, discard() {} }
  const draft = `${path}.${process.pid}${DRAFT_SUFFIX}`
  const remove = (): void => rmSync(draft, { force: true })
  remove()
  const file = createRecordFile(draft)
  let isOpen = true
  const end = (): void => {
    if (!isOpen) return
    isOpen = false
    file.close()
  }
  return {
    options: {
      sink(event) {
        if (isOpen) file.sink(event)
      },
    },
    finish() {
      try {
        end()
        flush(draft)
        renameSync(draft, path)
      } catch (cause) {
        remove()
        throw new RemediumError(
          'record-lost',
          `The record ${path} cannot be written: ${(cause as Error).message}.`,
          { hint: 'See whether the disk is full.', cause },
        )
      }
    },
    discard() {
      end()
      remove()
    },
  }
}
