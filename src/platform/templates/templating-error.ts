/** The error that Ansible raises for an error in a template. */
import { PythonError } from './python/python-error.ts'

/** The error that Ansible raises for an error in a template. */
export const toTemplatingError = (error: PythonError, source: string): PythonError => {
  const { message } = error
  if (error.isUndefined) return new PythonError('AnsibleUndefinedVariable', `${message}. ${message}`)
  if (!error.isTypeError) return error
  if (!message.includes('AnsibleUndefined'))
    return new PythonError(
      'AnsibleError',
      `Unexpected templating type error occurred on (${source}): ${message}. ${message}`,
    )
  const hint =
    `Unable to look up a name or access an attribute in template string (${source}).\n` +
    `Make sure your variable name does not contain invalid characters like '-': ${message}. ${message}`
  return new PythonError('AnsibleUndefinedVariable', `${hint}. ${hint}`)
}
