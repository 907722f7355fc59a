/** The error of Python for an invalid regular expression. */
import { PythonError } from '../python/python-error.ts'

export const regexError = (message: string, position: number): PythonError =>
  new PythonError('error', `${message} at position ${position}`)
