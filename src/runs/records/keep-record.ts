/** The record of an attempt while it is made: under its own name only when it is whole. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { createRecordFile } from '../../episode/index.ts'
import type { EpisodeEvent } from '../../spec/index.ts'

/** Of files that somebody has not finished. */
export const DRAFT_SUFFIX = '.part'

export interface KeptRecord {
  readonly options: { sink?(event: EpisodeEvent): void }
  finish(): void
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
  rmSync(draft, { force: true })
  const file = createRecordFile(draft)
  let isOpen = true
  const end = (): void => {
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
      end()
      flush(draft)
      renameSync(draft, path)
    },
    discard() {
      end()
      rmSync(draft, { force: true })
    },
  }
}
