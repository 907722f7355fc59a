/** Makes a folder that results are to be written to, and tries before the work whether they can be. */
import { mkdirSync, mkdtempSync, rmdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { RemediumError } from '../../spec/index.ts'

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** One after another: Node's own way of making several never ends in /proc. */
const makeAll = (path: string): void => {
  if (isFolder(path)) return
  if (dirname(path) !== path) makeAll(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Somebody else was faster.
    if (!isFolder(path)) throw error
  }
}

const TRIAL = '.writable-'

/** Whether a name is of something that is gone at once. */
export const isTrial = (name: string): boolean => name.startsWith(TRIAL)

const tryIn = (path: string): void => rmdirSync(mkdtempSync(join(path, TRIAL)))

const refuse = (path: string, option: string | undefined, cause: unknown): RemediumError =>
  new RemediumError('bad-argument', `The folder ${path} cannot be made or written to.`, {
    hint: option === undefined ? 'See who may write to it.' : `Name another with ${option}.`,
    cause,
  })

/** Makes nothing: for what must be known before there is anything to be put in it. */
export const checkFolder = (path: string, option: string): void => {
  try {
    let there = resolve(path)
    while (statSync(there, { throwIfNoEntry: false }) === undefined) there = dirname(there)
    tryIn(there)
  } catch (cause) {
    throw refuse(path, option, cause)
  }
}

/** `option` is where the user has named it; absent where another one would be of no use. */
export const makeFolder = (path: string, option: string | undefined): void => {
  try {
    const whole = resolve(path)
    makeAll(whole)
    tryIn(whole)
  } catch (cause) {
    throw refuse(path, option, cause)
  }
}
