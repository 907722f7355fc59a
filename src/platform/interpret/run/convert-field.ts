/** Converts the values of keywords, as Ansible does after it has rendered them. */
import { AnsibleError } from '../load/ansible-error.ts'
import { pythonString } from '../python/python-text.ts'
import type { YamlPosition } from '../yaml/read-ansible-yaml.ts'

const TRUE = new Set(['y', 'yes', 'on', '1', 'true', 't', '1.0'])
const FALSE = new Set(['n', 'no', 'off', '0', 'false', 'f', '0.0'])

/** Returns undefined for a value that is not a boolean. */
export const asBoolean = (value: unknown): boolean | undefined => {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value.toLowerCase().trim() : pythonString(value)
  return TRUE.has(text) ? true : FALSE.has(text) ? false : undefined
}

const invalid = (
  name: string,
  value: unknown,
  type: string,
  reason: string,
  position: YamlPosition | undefined,
): AnsibleError =>
  new AnsibleError(
    `the field '${name}' has an invalid value (${pythonString(value)}), and could not be converted to an ${type}.The error was: ${reason}`,
    position,
  )

export const toBoolean = (name: string, value: unknown, position?: YamlPosition): boolean => {
  if (value === undefined || value === null) return false
  const result = asBoolean(value)
  if (result === undefined)
    throw invalid(name, value, 'bool', `The value '${pythonString(value)}' is not a valid boolean.`, position)
  return result
}

export const toInteger = (name: string, value: unknown, position?: YamlPosition): number => {
  if (typeof value === 'number') return Math.trunc(value)
  if (typeof value === 'boolean') return Number(value)
  const text = String(value).trim()
  if (/^[-+]?\d+$/.test(text)) return Number(text)
  throw invalid(
    name,
    value,
    'int',
    `invalid literal for int() with base 10: '${pythonString(value)}'`,
    position,
  )
}

export const toFloat = (name: string, value: unknown, position?: YamlPosition): number => {
  const number = typeof value === 'number' ? value : Number(String(value).trim() || Number.NaN)
  if (!Number.isNaN(number)) return number
  throw invalid(name, value, 'float', `could not convert string to float: '${pythonString(value)}'`, position)
}
