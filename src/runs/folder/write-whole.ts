/** Writes a file so that others find the old content or the new one, and never a part. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { RemediumError } from '../../spec/index.ts'

const write = (path: string, text: string): void => {
  const file = openSync(path, 'w', 0o644)
  try {
    const bytes = Buffer.from(text)
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

export const writeWhole = (path: string, text: string): void => {
  const draft = `${path}.part`
  try {
    write(draft, text)
    renameSync(draft, path)
  } catch (cause) {
    rmSync(draft, { force: true })
    throw new RemediumError('record-lost', `${path} cannot be written: ${(cause as Error).message}.`, {
      hint: 'What has ended is kept; make room and go on with the same command.',
      cause,
    })
  }
}
