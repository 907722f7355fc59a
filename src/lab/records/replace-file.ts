/** Replaces a file atomically: a reader sees either the old content or the new one. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { RemediumError } from '#spec'

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

export const replaceFile = (path: string, text: string): void => {
  const draft = `${path}.part`
  try {
    write(draft, text)
    renameSync(draft, path)
  } catch (cause) {
    rmSync(draft, { force: true })
    throw new RemediumError('record-lost', `${path} cannot be written: ${(cause as Error).message}.`, {
      hint: 'Finished results are kept. Free disk space and repeat the command.',
      cause,
    })
  }
}
