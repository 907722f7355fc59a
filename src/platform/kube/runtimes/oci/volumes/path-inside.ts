/** Resolves paths below a root folder whose links are untrusted, without leaving the root. */
import { chmodSync, closeSync, constants, fstatSync, mkdirSync, openSync, readlinkSync } from 'node:fs'
import { join, relative } from 'node:path'

const MAX_LINKS = 40
/** Opens a path without access to its content. */
const O_PATH = 0o10000000

/** A path to the open file, independent of its name. */
export const pathOfDescriptor = (fd: number): string => `/proc/self/fd/${fd}`

/** Opens an entry of a folder without following a link. */
export const openEntry = (folder: number, name: string): number =>
  openSync(join(pathOfDescriptor(folder), name), O_PATH | constants.O_NOFOLLOW)

const openOrCreate = (folder: number, name: string): number => {
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
    // It is not a link, or does not exist.
    return undefined
  }
}

/** Resolves `path` as if `root` were the root directory. Components that do not exist are kept. */
export const pathInside = (root: string, path: string): string => {
  const parts = path.split('/')
  let resolved: string[] = []
  let links = 0
  while (parts.length > 0) {
    const part = parts.shift()!
    if (part === '' || part === '.') continue
    if (part === '..') {
      resolved.pop()
      continue
    }
    const target = linkAt(join(root, ...resolved, part))
    if (target === undefined) {
      resolved.push(part)
      continue
    }
    links += 1
    if (links > MAX_LINKS) throw new Error(`too many levels of symbolic links: ${path}`)
    if (target.startsWith('/')) resolved = []
    parts.unshift(...target.split('/'))
  }
  return join(root, ...resolved)
}

/**
 * Creates the folder at `path` below `root` if necessary, and returns its descriptor. Uses descriptors, so a
 * link that is created in the meantime causes an error and is not followed.
 */
export const openFolderInside = (root: string, path: string, mode?: number): number => {
  let fd = openSync(root, O_PATH | constants.O_DIRECTORY)
  try {
    for (const part of relative(root, pathInside(root, path))
      .split('/')
      .filter((name) => name !== '')) {
      const next = openOrCreate(fd, part)
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

/** Like `openFolderInside`, but returns no descriptor. */
export const createFolderInside = (root: string, path: string, mode?: number): void =>
  closeSync(openFolderInside(root, path, mode))
