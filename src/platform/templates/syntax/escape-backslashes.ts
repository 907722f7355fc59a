/** Doubles the backslashes of strings, so that they are not escapes, as Ansible does. */
import { syntaxError } from './syntax-error.ts'
import { tokenise } from './tokenise.ts'

/** Doubles the backslashes of strings in `{{ }}`, so that they are not escapes, as Ansible does. Throws a PythonError. */
export const escapeBackslashes = (source: string): string => {
  if (!source.includes('\\') || !source.includes('{{')) return source
  let escaped = ''
  let copied = 0
  let isVariable = false
  for (const { type, value, start } of tokenise(source)) {
    if (type === 'error') throw syntaxError(value)
    if (type === 'variable_begin' || type === 'block_begin') isVariable = type === 'variable_begin'
    if (type !== 'string' || !isVariable) continue
    escaped += source.slice(copied, start) + value.replaceAll('\\', '\\\\')
    copied = start + value.length
  }
  return escaped + source.slice(copied)
}
