/** Parses numbers as `int(text)` and `float(text)` do. */
import { UnsupportedTemplate } from '../template-error.ts'
import { isAscii, strip } from './characters.ts'
import { valueError } from './python-error.ts'
import { reprText } from './repr.ts'
import { type Float, toFloat, toInt } from './value.ts'

const MAX_DIGITS = 4300
const FLOAT = /^[-+]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][-+]?\d+(?:_\d+)*)?$/
const SPECIAL = /^[-+]?(?:inf|infinity|nan)$/i

const checkAscii = (text: string): void => {
  if (!isAscii(text) && /\p{Nd}/u.test(text)) throw new UnsupportedTemplate('non-ASCII digits')
}

/** Throws ValueError for text that is not a float. */
export const parseFloatText = (text: string): number | Float => {
  const stripped = strip(text)
  checkAscii(stripped)
  if (SPECIAL.test(stripped)) throw new UnsupportedTemplate('infinite numbers and NaN')
  if (!FLOAT.test(stripped)) throw valueError(`could not convert string to float: ${reprText(text)}`)
  return toFloat(Number(stripped.replaceAll('_', '')))
}

const PREFIXES: Readonly<Record<string, number>> = { '0b': 2, '0o': 8, '0x': 16 }

/** The base and the digits after a prefix such as `0x`. With base 0, the prefix determines the base. */
const splitPrefix = (digits: string, base: number): [base: number, digits: string] => {
  const prefixBase = PREFIXES[digits.slice(0, 2).toLowerCase()]
  if (prefixBase !== undefined && (base === 0 || base === prefixBase))
    return [prefixBase, digits.slice(2).replace(/^_/, '')]
  return [base === 0 ? 10 : base, digits]
}

const toDigits = (text: string, base: number): bigint | undefined => {
  let value = 0n
  for (const character of text) {
    const digit = Number.parseInt(character, 36)
    if (Number.isNaN(digit) || digit >= base) return undefined
    value = value * BigInt(base) + BigInt(digit)
  }
  return value
}

/** Throws ValueError for text that is not an int in this base. */
export const parseIntText = (text: string, base = 10): number | bigint => {
  if (base !== 0 && (base < 2 || base > 36)) throw valueError('int() base must be >= 2 and <= 36, or 0')
  const stripped = strip(text)
  checkAscii(stripped)
  const invalid = valueError(`invalid literal for int() with base ${base}: ${reprText(text)}`)
  const match = /^([-+]?)([0-9a-zA-Z]+(?:_[0-9a-zA-Z]+)*)$/.exec(stripped)
  if (match === null || match[2]!.length > MAX_DIGITS) throw invalid
  const [realBase, digits] = splitPrefix(match[2]!, base)
  // Base 0 rejects leading zeros such as 012, as Python's source code does.
  if (base === 0 && realBase === 10 && /^0[0_]*[1-9]/.test(digits)) throw invalid
  const value = digits === '' ? undefined : toDigits(digits.replaceAll('_', ''), realBase)
  if (value === undefined) throw invalid
  return toInt(match[1] === '-' ? -value : value)
}
