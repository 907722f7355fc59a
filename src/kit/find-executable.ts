/** Finds programs on the PATH without running a shell. */
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

/** Returns the path of a program on the PATH or in a system folder of root; undefined if there is none. */
export const findExecutable = (name: string): string | undefined =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin']
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable)
