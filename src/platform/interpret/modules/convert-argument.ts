/** Converts the value of an argument to the type of its specification, as Ansible does. */
import { isPlainObject } from '#kit'
import { pythonString, pythonType } from '../python/python-text.ts'
import { asBoolean } from '../run/convert-field.ts'
import { UnsupportedPlaybook } from '../unsupported-playbook.ts'

/** The value cannot be converted. */
export class TypeMistake extends Error {}

const toBool = (value: unknown): boolean => {
  if (typeof value === 'object') throw new TypeMistake(`${pythonType(value)} cannot be converted to a bool`)
  const result = asBoolean(value)
  if (result === undefined)
    throw new TypeMistake(
      `The value '${pythonString(value)}' is not a valid boolean.  Valid booleans include: 0, 'on', 'f', 'false', 1, 'no', 'n', '1', '0', 't', 'y', 'off', 'yes', 'true'`,
    )
  return result
}

const toInt = (value: unknown): number => {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'number' && Number.isInteger(value)) return value
  if (typeof value === 'string' && /^\s*[-+]?\d[\d_]*\s*$/.test(value))
    return Number(value.replaceAll('_', ''))
  throw new TypeMistake(`${pythonType(value)} cannot be converted to an int`)
}

/** Python's own `int`, which cuts off fractions. */
const toWhole = (value: unknown): number => {
  if (typeof value === 'number') return Math.trunc(value)
  if (typeof value === 'string' && !/^\s*[-+]?\d+\s*$/.test(value))
    throw new TypeMistake(`invalid literal for int() with base 10: '${value}'`)
  return toInt(value)
}

const toDict = (value: unknown): unknown => {
  if (isPlainObject(value)) return value
  if (typeof value !== 'string') throw new TypeMistake(`${pythonType(value)} cannot be converted to a dict`)
  if (!value.startsWith('{') && !value.includes('='))
    throw new TypeMistake('dictionary requested, could not parse JSON or key=value')
  try {
    return JSON.parse(value)
  } catch {
    throw new UnsupportedPlaybook('a string instead of a map of options')
  }
}

const toList = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value
  if (typeof value === 'string') return value.split(',')
  if (typeof value === 'number' || typeof value === 'boolean') return [pythonString(value)]
  throw new TypeMistake(`${pythonType(value)} cannot be converted to a list`)
}

const CONVERTERS: Readonly<Record<string, (value: unknown) => unknown>> = {
  str: pythonString,
  path: pythonString,
  raw: (value) => value,
  bool: toBool,
  int: toInt,
  whole: toWhole,
  dict: toDict,
  list: toList,
  definition(value) {
    if (typeof value === 'string' || (typeof value === 'object' && value !== null)) return value
    throw new TypeMistake('')
  },
}

/** Throws TypeMistake. */
export const convertArgument = (type: string, value: unknown): unknown => CONVERTERS[type]!(value)
