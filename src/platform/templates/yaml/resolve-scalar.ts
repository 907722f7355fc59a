/** The types of plain scalars in YAML 1.1, as PyYAML resolves them. */
import { toFloat, toInt } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'

const BOOLEAN = /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/
const FLOAT =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/
const INT =
  /^(?:[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/
const NULL = /^(?:~|null|Null|NULL|)$/
const TIMESTAMP =
  /^(?:\d{4}-\d{2}-\d{2}|\d{4}-\d{1,2}-\d{1,2}(?:[Tt]|[ \t]+)\d{1,2}:\d{2}:\d{2}(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d{1,2}(?::\d{2})?))?)$/

export type ScalarType = 'bool' | 'float' | 'int' | 'null' | 'timestamp' | 'merge' | 'value' | 'str'

export const scalarType = (text: string): ScalarType => {
  if (BOOLEAN.test(text)) return 'bool'
  if (FLOAT.test(text)) return 'float'
  if (INT.test(text)) return 'int'
  if (text === '<<') return 'merge'
  if (NULL.test(text)) return 'null'
  if (TIMESTAMP.test(text)) return 'timestamp'
  return text === '=' ? 'value' : 'str'
}

const constructInt = (text: string): number | bigint => {
  const digits = text.replace(/^[-+]/, '').replaceAll('_', '')
  if (digits.includes(':')) throw new UnsupportedTemplate('sexagesimal numbers in YAML')
  const isOctal = /^0[0-7]+$/.test(digits)
  if (digits === '0b' || digits === '0x' || digits === '')
    throw new UnsupportedTemplate(`the number ${text} in YAML`)
  const value = BigInt(isOctal ? `0o${digits.slice(1)}` : digits)
  return toInt(text.startsWith('-') ? -value : value)
}

const constructFloat = (text: string): unknown => {
  const digits = text.replaceAll('_', '').toLowerCase()
  if (digits.includes(':') || /inf|nan/.test(digits))
    throw new UnsupportedTemplate(`the number ${text} in YAML`)
  return toFloat(Number(digits))
}

/** The value of a plain scalar. */
export const resolveScalar = (text: string): unknown => {
  switch (scalarType(text)) {
    case 'bool':
      return /^(?:yes|true|on)$/i.test(text)
    case 'null':
      return null
    case 'int':
      return constructInt(text)
    case 'float':
      return constructFloat(text)
    case 'str':
      return text
    default:
      throw new UnsupportedTemplate(`the scalar ${text} in YAML`)
  }
}
