/** Paths below a folder in which others may put links: a link leads nowhere but inside. */
import { chmodSync, closeSync, constants, fstatSync, mkdirSync, openSync, readlinkSync } from 'node:fs'
import { join, relative } from 'node:path'

const MOST_LINKS = 40
/** A descriptor that only stands for a file. */
const O_PATH = 0o10000000

/** The path of what lies behind a descriptor, whatever has happened to its name. */
export const pathOfDescriptor = (fd: number): string => `/proc/self/fd/${fd}`

/** Opens what has this name in a folder, itself where it is a link. */
export const openEntry = (folder: number, name: string): number =>
  openSync(join(pathOfDescriptor(folder), name), O_PATH | constants.O_NOFOLLOW)

const openOrMake = (folder: number, name: string): number => {
  try {
    return openEntry(folder, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    mkdirSync(join(pathOfDescriptor(folder), name))
    return openEntry(folder, name)
  }
}

const linkAt = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    // It is not a link, or not there.
    return undefined
  }
}

/** The real path for `path` as one who lives in `root` sees it; what does not exist yet stays as it is. */
export const pathInside = (root: string, path: string): string => {
  const parts = path.split('/')
  let done: string[] = []
  let links = 0
  while (parts.length > 0) {
    const part = parts.shift()!
    if (part === '' || part === '.') continue
    if (part === '..') {
      done.pop()
      continue
    }
    const target = linkAt(join(root, ...done, part))
    if (target === undefined) {
      done.push(part)
      continue
    }
    links += 1
    if (links > MOST_LINKS) throw new Error(`too many levels of symbolic links: ${path}`)
    if (target.startsWith('/')) done = []
    parts.unshift(...target.split('/'))
  }
  return join(root, ...done)
}

/**
 * Makes sure that there is a folder at `path` as one who lives in `root` sees it, and gives a descriptor of it. It goes
 * from folder to folder by descriptors: a link that somebody puts there meanwhile is an error and leads nowhere.
 */
export const openFolderInside = (root: string, path: string, mode?: number): number => {
  let fd = openSync(root, O_PATH | constants.O_DIRECTORY)
  try {
    for (const part of relative(root, pathInside(root, path))
      .split('/')
      .filter((name) => name !== '')) {
      const next = openOrMake(fd, part)
      closeSync(fd)
      fd = next
      if (!fstatSync(fd).isDirectory()) throw new Error(`${path} is not a directory`)
    }
    if (mode !== undefined) chmodSync(pathOfDescriptor(fd), mode)
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** The same for those who need no descriptor. */
export const makeFolderInside = (root: string, path: string, mode?: number): void =>
  closeSync(openFolderInside(root, path, mode))
