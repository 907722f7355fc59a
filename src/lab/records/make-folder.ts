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

const TRIAL = '.writable-'

/** Whether a name is that of a short-lived test folder. */
export const isTrial = (name: string): boolean => name.startsWith(TRIAL)

const tryIn = (path: string): void => rmdirSync(mkdtempSync(join(path, TRIAL)))

const refuse = (path: string, option: string | undefined, cause: unknown): RemediumError =>
  new RemediumError('bad-argument', `The folder ${path} cannot be created or written to.`, {
    hint: option === undefined ? 'Check its permissions.' : `Name another with ${option}.`,
    cause,
  })

/** Creates nothing: checks the nearest existing folder. */
export const checkFolder = (path: string, option: string): void => {
  try {
    let there = resolve(path)
    while (statSync(there, { throwIfNoEntry: false }) === undefined) there = dirname(there)
    tryIn(there)
  } catch (cause) {
    throw refuse(path, option, cause)
  }
}

/** `option` is the command-line option that names the folder, if another one would help. */
export const makeFolder = (path: string, option: string | undefined): void => {
  try {
    const whole = resolve(path)
    createAll(whole)
    tryIn(whole)
  } catch (cause) {
    throw refuse(path, option, cause)
  }
}
