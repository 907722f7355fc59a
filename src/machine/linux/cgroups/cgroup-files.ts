/** Reads, lists and removes the folders of control groups. */
import { readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'

/** Undefined if the group or the file does not exist. */
export const readGroupFile = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** The value of `name` in a file of lines `name value`; 0 if there is none. */
export const readField = (text: string | undefined, name: string): number => {
  const line = text?.split('\n').find((candidate) => candidate.startsWith(`${name} `))
  return line === undefined ? 0 : Number(line.slice(name.length + 1))
}

export const childFolders = (folder: string): string[] => {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name))
  } catch {
    return []
  }
}

/** The processes in the group and below it. */
export const listPids = (folder: string): number[] => [
  ...(readGroupFile(join(folder, 'cgroup.procs')) ?? '').split('\n').filter(Boolean).map(Number),
  ...childFolders(folder).flatMap(listPids),
]

/** Removes the group and all below it, leaves first; returns false while processes are left. */
export const removeGroup = (folder: string): boolean => {
  const cleared = childFolders(folder).map(removeGroup)
  try {
    rmdirSync(folder)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
  return cleared.every(Boolean)
}
