/** Finds the files and folders of the machine that an external program sees. */
import { realpathSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, dirname, basename as nameOf, relative, resolve, sep } from 'node:path'
import { isExecutable, REPOSITORY } from '#kit'
import { isInside, isSystemPath, PROGRAM_FOLDERS } from '#machine/sandbox'
import { RemediumError } from '#spec'

/**
 * Folders of the checkout that hold problems, packages or records; never made visible. Other folders of the
 * checkout may hold the operator's programs.
 */
export const HIDDEN_CHECKOUT_FOLDERS = [
  ...[
    '.ci',
    '.git',
    '.github',
    'bench',
    'clients',
    'docs',
    'e2e',
    'node_modules',
    'runs',
    'scripts',
    'src',
    'suites',
  ],
]
/** Shared folders of the machine; they are never made visible as a whole. */
const BROAD_FOLDERS = ['/', '/home', '/root', '/tmp', '/var', '/var/tmp', '/mnt', '/media', '/srv', '/run']
/** Folders that the isolation itself provides, or that hold the state of the machine; never made visible. */
const RESERVED_FOLDERS = ['/dev', '/proc', '/sys', '/run', '/boot', '/var/lib', PROGRAM_FOLDERS.memory]
const MAX_WORD_CHARACTERS = 4096
/** Splits a shell command line into words, approximately. Words that are not paths are ignored. */
const SEPARATORS = /[\s;&|<>()"'`$={}]+/

const resolveLinks = (path: string): string | undefined => {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Whether the path is the checkout itself or is inside one of its hidden folders. */
const isHiddenInCheckout = (path: string): boolean => {
  const repository = resolveLinks(REPOSITORY) ?? REPOSITORY
  if (!isInside(path, repository)) return false
  const [first = ''] = relative(repository, path).split(sep)
  return first === '' || HIDDEN_CHECKOUT_FOLDERS.includes(first)
}

export interface ViewRequest {
  /** The program and its arguments. */
  readonly command: readonly string[]
  /** The working directory. */
  readonly folder: string
  /** Further folders that the operator names. */
  readonly folders: readonly string[]
  /** Folders that must not be visible, in addition to the checkout; for example the folder of the run. */
  readonly hidden: readonly string[]
}

/** Whether a folder must not be visible as a whole, even if it is the working directory. */
const isBroad = (folder: string, hidden: readonly string[]): boolean =>
  isInside(resolveLinks(REPOSITORY) ?? REPOSITORY, folder) ||
  [...BROAD_FOLDERS, homedir(), tmpdir()].includes(folder) ||
  dirname(folder) === '/home' ||
  RESERVED_FOLDERS.some((reserved) => isInside(folder, reserved)) ||
  isHiddenInCheckout(folder) ||
  hidden.some((path) => isInside(path, folder) || isInside(folder, path))

/** Returns the folder of an installation if the given folder is its `bin`, otherwise the folder itself. */
const toInstallation = (folder: string): string =>
  ['bin', 'sbin', 'Scripts'].includes(nameOf(folder)) ? dirname(folder) : folder

/** Whether all users may enter the folder and its parents. */
const isAccessible = (folder: string): boolean =>
  ((statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o001) !== 0 &&
  (folder === '/' || isAccessible(dirname(folder)))

/** Finds a program on the PATH. Skips folders that not all users may enter. */
const findProgram = (name: string): string | undefined =>
  name.includes('/')
    ? undefined
    : (process.env.PATH ?? '')
        .split(delimiter)
        .filter((folder) => folder.startsWith('/') && isAccessible(folder))
        .map((folder) => resolve(folder, name))
        .find(isExecutable)

const wordsOf = (command: readonly string[]): string[] =>
  command
    .flatMap((argument) => [argument, ...argument.split(SEPARATORS)])
    .filter((word) => word !== '' && word.length <= MAX_WORD_CHARACTERS && !word.includes('\0'))

/** Returns the path as it is named, and the path to which its links lead. */
const pathsOf = (word: string, folder: string): string[] => {
  const candidates = [resolve(folder, word), findProgram(word)].filter((path) => path !== undefined)
  return candidates.flatMap((path) => {
    const real = resolveLinks(path)
    return real === undefined ? [] : [path, real]
  })
}

/** A file is visible with its folder, unless that is too broad. */
const toVisiblePaths = (path: string, hidden: readonly string[]): string[] => {
  if (RESERVED_FOLDERS.some((reserved) => isInside(path, reserved))) return []
  if (isFolder(path)) return isBroad(path, hidden) ? [] : [path]
  const installation = toInstallation(dirname(path))
  return [[installation, dirname(path)].find((folder) => !isBroad(folder, hidden)) ?? path]
}

/** Throws if the folder must not be visible as a whole. */
export const checkVisibleFolder = (folder: string, hidden: readonly string[]): void => {
  if (!isBroad(resolveLinks(folder) ?? folder, hidden)) return
  throw new RemediumError(
    'bad-argument',
    `The folder ${folder} cannot be made visible to the external agent: it contains, or is inside, a folder of the laboratory, of the machine or of other users.`,
    {
      hint: 'Name the folder of the program only, outside of the checkout, the run folders and the state folder.',
    },
  )
}

const checkFolder = (folder: string, hidden: readonly string[]): string => {
  const path = resolveLinks(folder)
  if (path === undefined || !isFolder(path))
    throw new RemediumError('bad-argument', `The folder ${folder} for the external agent does not exist.`)
  checkVisibleFolder(path, hidden)
  return path
}

/** Removes paths that are in system folders or in other visible folders. */
const removeInner = (paths: readonly string[]): string[] =>
  [...new Set(paths)].filter(
    (path, _, all) =>
      !isSystemPath(path) && !all.some((other) => other !== path && isFolder(other) && isInside(path, other)),
  )

/** Throws if a folder that the operator names does not exist or must not be visible. */
export const findVisiblePaths = ({ command, folder, folders, hidden }: ViewRequest): string[] => {
  const realHidden = hidden.map((path) => resolveLinks(path) ?? path)
  const named = folders.map((path) => checkFolder(resolve(folder, path), realHidden))
  const derived = wordsOf(command).flatMap((word) =>
    pathsOf(word, folder).flatMap((path) => toVisiblePaths(path, realHidden)),
  )
  return removeInner([...named, ...toVisiblePaths(resolveLinks(folder) ?? folder, realHidden), ...derived])
}
