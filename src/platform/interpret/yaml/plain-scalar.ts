/** The type of a plain scalar, as PyYAML resolves it. It differs from YAML 1.2 and from other readers of YAML 1.1. */
import { UnsupportedPlaybook } from '../unsupported-playbook.ts'

const BOOL = /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/
const NULL = /^(?:~|null|Null|NULL|)$/
const INT =
  /^(?:[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/
const FLOAT =
  /^(?:[-+]?(?:[0-9][0-9_]*)\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/
const TIMESTAMP =
  /^(?:\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)$/

const fromBase60 = (digits: string): number =>
  digits.split(':').reduce((total, part) => total * 60 + Number(part), 0)

const toInteger = (text: string): number => {
  const plain = text.replaceAll('_', '')
  const sign = plain.startsWith('-') ? -1 : 1
  const digits = plain.replace(/^[-+]/, '')
  if (digits === '0') return 0
  if (digits.startsWith('0b')) return sign * Number.parseInt(digits.slice(2), 2)
  if (digits.startsWith('0x')) return sign * Number.parseInt(digits.slice(2), 16)
  if (digits.startsWith('0')) return sign * Number.parseInt(digits, 8)
  const value = sign * (digits.includes(':') ? fromBase60(digits) : Number(digits))
  if (!Number.isSafeInteger(value)) throw new UnsupportedPlaybook(`the number ${text}, which is too large`)
  return value
}

const toFloat = (text: string): number => {
  const plain = text.replaceAll('_', '').toLowerCase()
  if (/[:]|inf|nan/.test(plain)) throw new UnsupportedPlaybook(`the number ${text}`)
  const value = Number(plain)
  // Python distinguishes 1.0 from 1, but this value model does not.
  if (Number.isInteger(value))
    throw new UnsupportedPlaybook(`the number ${text}, a whole number of type float`)
  return value
}

export const resolvePlainScalar = (text: string): unknown => {
  if (NULL.test(text)) return null
  if (BOOL.test(text)) return /^(?:yes|true|on)$/i.test(text)
  if (INT.test(text)) return toInteger(text)
  if (FLOAT.test(text)) return toFloat(text)
  if (TIMESTAMP.test(text)) throw new UnsupportedPlaybook(`the date ${text} without quotes`)
  return text
}
