/** The error of a filter for a value of a wrong type. */
import { PythonError } from '../python/python-error.ts'

export const filterTypeError = (message: string): PythonError =>
  new PythonError('AnsibleFilterTypeError', message)
