/** Jinja's error for a template that is not valid. */
import { PythonError } from '../python/python-error.ts'

export const syntaxError = (message: string): PythonError => new PythonError('TemplateSyntaxError', message)
