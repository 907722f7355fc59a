/** Finds programs without running a shell. */
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Searches the PATH, then the `sbin` folders, which a user's PATH may lack. */
export const findExecutable = (name: string): string | undefined =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin']
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable)
