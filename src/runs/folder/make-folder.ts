/** Makes a folder that results are to be written to, and tries before the work whether they can be. */
import { mkdirSync, mkdtempSync, rmdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { RemediumError } from '../../spec/index.ts'

/** One after another: Node's own way of making several never ends in /proc. */
const makeAll = (path: string): void => {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  if (dirname(path) !== path) makeAll(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Somebody else was faster.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

/** `option` is where the user has named it. */
export const makeFolder = (path: string, option: string): void => {
  try {
    const whole = resolve(path)
    makeAll(whole)
    rmdirSync(mkdtempSync(join(whole, '.writable-')))
  } catch (cause) {
    throw new RemediumError('bad-argument', `The folder ${path} cannot be made or written to.`, {
      hint: `Name another with ${option}.`,
      cause,
    })
  }
}
