/**
 * Runs in a bundle: files and modules of the repository that the bundle contains. Their paths continue the path of the bundle, such
 * as `/opt/remedium-gym.mjs/suites/easy.yaml`, where no file of the machine can be.
 */
import { fork as forkFile } from 'node:child_process'
import {
  Dirent,
  existsSync as existsOnDisk,
  readFileSync as readFile,
  readdirSync as readFolder,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DATA, MODULES } from 'virtual:embedded-content'

const BUNDLE = import.meta.filename
const PREFIX = `${BUNDLE}/`
/** The first argument of a process that runs a program of the bundle. */
export const PROGRAM_ARGUMENT = '--program-of-the-bundle'

/** The path inside the bundle, or undefined for a file of the machine. The path of the repository itself is empty. */
const insideOf = (path: unknown): string | undefined => {
  const text = path instanceof URL ? fileURLToPath(path) : path
  if (typeof text !== 'string') return undefined
  if (text === BUNDLE) return ''
  return text.startsWith(PREFIX) ? text.slice(PREFIX.length).replace(/\/$/, '') : undefined
}

const FILES: readonly string[] = [...Object.keys(DATA), ...Object.keys(MODULES)]

const createMissingError = (path: unknown): Error =>
  Object.assign(new Error(`ENOENT: no such file in the bundle, open '${path}'`), { code: 'ENOENT' })

const contains = (inside: string): boolean =>
  FILES.some((file) => file === inside || file.startsWith(inside === '' ? '' : `${inside}/`))

export const existsSync: typeof existsOnDisk = (path) => {
  const inside = insideOf(path)
  return inside === undefined ? existsOnDisk(path) : contains(inside)
}

export const readFileSync = ((path: string, options?: 'utf8') => {
  const inside = insideOf(path)
  if (inside === undefined) return readFile(path, { encoding: options ?? null })
  const text = DATA[inside]
  if (text === undefined) throw createMissingError(path)
  return options === undefined ? Buffer.from(text) : text
}) as typeof readFile

interface ListOptions {
  readonly recursive?: boolean
  readonly withFileTypes?: boolean
}

/** The entries of a folder, relative to it. */
const entriesOf = (folder: string, recursive: boolean): Map<string, 'file' | 'folder'> => {
  const entries = new Map<string, 'file' | 'folder'>()
  const prefix = folder === '' ? '' : `${folder}/`
  for (const file of FILES.filter((path) => path.startsWith(prefix))) {
    const parts = file.slice(prefix.length).split('/')
    for (let depth = 1; depth <= (recursive ? parts.length : 1); depth += 1)
      entries.set(parts.slice(0, depth).join('/'), depth === parts.length ? 'file' : 'folder')
  }
  return entries
}

/** Like an entry of a folder on the disk, which Node.js does not let programs construct. */
const toDirent = (path: string, type: 'file' | 'folder'): Dirent =>
  Object.assign(Object.create(Dirent.prototype), {
    name: basename(path),
    parentPath: dirname(path),
    isFile: () => type === 'file',
    isDirectory: () => type === 'folder',
  })

export const readdirSync = ((path: string, options: ListOptions = {}) => {
  const inside = insideOf(path)
  if (inside === undefined) return readFolder(path, options as object)
  if (!contains(inside)) throw createMissingError(path)
  const entries = [...entriesOf(inside, options.recursive === true)]
  if (options.withFileTypes !== true) return entries.map(([name]) => name)
  return entries.map(([name, type]) => toDirent(join(path, name), type))
}) as typeof readFolder

/** Imports a module by its URL. */
export const importEmbedded = async (url: string): Promise<unknown> => {
  const inside = insideOf(URL.canParse(url) ? new URL(url) : url)
  const load = inside === undefined ? undefined : MODULES[inside]
  if (load === undefined) throw createMissingError(url)
  return load()
}

/** Starts a program of the bundle in another process of the bundle. */
export const fork = ((path: string, options: object) => {
  const inside = insideOf(path)
  if (inside === undefined) return forkFile(path, options)
  return forkFile(BUNDLE, [PROGRAM_ARGUMENT, inside], options)
}) as typeof forkFile
