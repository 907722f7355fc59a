/** Records a file outside the cluster's folder, such as a kubeconfig, so that it is removed with the cluster. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { digestOf, removeIfUnchanged } from '#kit'

const RECORD = 'outside-file.json'

/** Must be called before the file is written, so that no unrecorded file remains if the process is killed. */
export const recordOutsideFile = (folder: string, path: string, text: string): void =>
  writeFileSync(join(folder, RECORD), JSON.stringify({ path, digest: digestOf(text) }))

const readOutsideFileRecord = (folder: string): { path: string; digest: string } | undefined => {
  try {
    return JSON.parse(readFileSync(join(folder, RECORD), 'utf8'))
  } catch {
    // There is no record, or the process was killed before it wrote the file.
    return undefined
  }
}

/** Removes the file unless the user has changed it. */
export const removeOutsideFile = (folder: string): void => {
  const recorded = readOutsideFileRecord(folder)
  if (recorded !== undefined) removeIfUnchanged(recorded.path, recorded.digest)
}
