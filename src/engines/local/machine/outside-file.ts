/** A file that a cluster's user wants outside the cluster's folder: written down first, so that it goes with the cluster. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { digestOf, removeIfUnchanged } from '../../../kit/index.ts'

const RECORD = 'outside-file.json'

/** To be called before the file is made: whoever is killed in between leaves nothing unknown. */
export const noteOutsideFile = (folder: string, path: string, text: string): void =>
  writeFileSync(join(folder, RECORD), JSON.stringify({ path, digest: digestOf(text) }))

const readNote = (folder: string): { path: string; digest: string } | undefined => {
  try {
    return JSON.parse(readFileSync(join(folder, RECORD), 'utf8'))
  } catch {
    // There is none, or its writer was killed before it could make the file.
    return undefined
  }
}

/** Only while it is as the cluster wrote it: what somebody has changed or put in its place stays. */
export const removeOutsideFile = (folder: string): void => {
  const note = readNote(folder)
  if (note !== undefined) removeIfUnchanged(note.path, note.digest)
}
