/** Writes a file so that others find the old content or the new one, and never a part. */
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'

export const writeWhole = (path: string, text: string): void => {
  const draft = `${path}.part`
  const file = openSync(draft, 'w', 0o644)
  try {
    const bytes = Buffer.from(text)
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(draft, path)
}
