/** Creates a folder for results, and checks that it can be written to. */
import { mkdirSync, mkdtempSync, rmdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { giveToCaller } from '#kit'
import { RemediumError } from '#spec'

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Creates level by level: the recursive mkdir of Node.js never returns in /proc. */
const createAll = (path: string): void => {
  if (isFolder(path)) return
  if (dirname(path) !== path) createAll(dirname(path))
  try {
    mkdirSync(path)
    giveToCaller(path)
  } catch (error) {
    // Another process may have created it.
    if (!isFolder(path)) throw error
  }
}

const PROBE_PREFIX = '.writable-'

/** Whether this is the name of a folder that was created briefly to check that its parent is writable. */
export const isProbe = (name: string): boolean => name.startsWith(PROBE_PREFIX)

const probe = (path: string): void => rmdirSync(mkdtempSync(join(path, PROBE_PREFIX)))

const toFolderError = (path: string, option: string | undefined, cause: unknown): RemediumError =>
  new RemediumError('bad-argument', `The folder ${path} cannot be created or written to.`, {
    hint: option === undefined ? 'Check its permissions.' : `Name another with ${option}.`,
    cause,
  })

/** Creates nothing: checks the nearest existing folder. */
export const checkFolder = (path: string, option: string): void => {
  try {
    let existing = resolve(path)
    while (statSync(existing, { throwIfNoEntry: false }) === undefined) existing = dirname(existing)
    probe(existing)
  } catch (cause) {
    throw toFolderError(path, option, cause)
  }
}

/** `option` is the command-line option that names the folder; the hint of an error mentions it. */
export const makeFolder = (path: string, option: string | undefined): void => {
  try {
    const absolute = resolve(path)
    createAll(absolute)
    probe(absolute)
  } catch (cause) {
    throw toFolderError(path, option, cause)
  }
}
