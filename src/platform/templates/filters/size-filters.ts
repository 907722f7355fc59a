/** Filters for sizes in bytes: human_readable, human_to_bytes and filesizeformat. */
import { numberOf } from '../python/calculate.ts'
import { fixedText, roundFloat } from '../python/float-text.ts'
import { parseFloatText } from '../python/parse-number.ts'
import { filterError, PythonError, valueError } from '../python/python-error.ts'
import { toText } from '../python/repr.ts'
import { isTruthy } from '../python/truth.ts'
import { typeName } from '../python/type-name.ts'
import { Undefined } from '../python/undefined.ts'
import { floatValue, isNumeric, isString, plainCharactersOf } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { toPythonFloat, truncateFloat } from './python-numbers.ts'

const UNITS = ['Y', 'Z', 'E', 'P', 'T', 'G', 'M', 'K', 'B']

const sizeOfUnit = (unit: string): number => 2 ** (10 * (UNITS.length - 1 - UNITS.indexOf(unit)))

export const humanReadable = (size: unknown, isBits: unknown, unit: unknown): string => {
  if (size instanceof Undefined) size.fail()
  if (!isNumeric(size))
    throw new PythonError(
      'AnsibleFilterTypeError',
      `human_readable() failed on bad input: '>=' not supported between instances of '${typeName(size)}' and 'int'`,
    )
  if (unit !== null && !isString(unit))
    throw filterError(`human_readable() can't interpret following string: ${toText(size)}`)
  const bytes = numberOf(size)
  const wanted = unit === null ? undefined : plainCharactersOf(unit).toUpperCase()
  const chosen =
    UNITS.find((name) => (wanted === undefined ? bytes >= sizeOfUnit(name) : wanted === name)) ?? 'B'
  const base = isTruthy(isBits) ? 'bits' : 'Bytes'
  return `${fixedText(bytes / sizeOfUnit(chosen), 2)} ${chosen === 'B' ? base : chosen + base[0]}`
}

const toBytes = (text: string, defaultUnit: string | undefined, isBits: boolean): unknown => {
  const match = /^\s*(\d*\.?\d*)\s*([A-Za-z]+)?/.exec(text)!
  const number = floatValue(parseFloatText(match[1]!))
  const unit = match[2] ?? defaultUnit
  if (unit === undefined) return truncateFloat(roundFloat(number, 0))
  const key = unit[0]?.toUpperCase() ?? ''
  if (!UNITS.includes(key)) throw valueError('unknown unit')
  const [mark, name] = isBits ? ['b', 'bit'] : ['B', 'byte']
  if (unit.length > 1 && !unit.toLowerCase().includes(name!) && unit[1] !== mark)
    throw valueError('wrong unit')
  return truncateFloat(roundFloat(number * sizeOfUnit(key), 0))
}

export const humanToBytes = (size: unknown, defaultUnit: unknown, isBits: unknown): unknown => {
  const text = toText(size)
  if (defaultUnit !== null && !isString(defaultUnit))
    throw new UnsupportedTemplate('a default unit that is not a string')
  try {
    return toBytes(text, defaultUnit === null ? undefined : plainCharactersOf(defaultUnit), isTruthy(isBits))
  } catch (error) {
    if (error instanceof PythonError)
      throw filterError(`human_to_bytes() can't interpret following string: ${text}`)
    throw error
  }
}

export const fileSize = (value: unknown, isBinary: unknown): string => {
  const bytes = floatValue(toPythonFloat(value))
  const [base, suffix] = isTruthy(isBinary) ? [1024, 'iB'] : [1000, 'B']
  if (bytes === 1) return '1 Byte'
  if (bytes < base!) return `${Math.trunc(bytes)} Bytes`
  const prefixes = `${isTruthy(isBinary) ? 'K' : 'k'}MGTPEZY`
  const index = [...prefixes].findIndex((_, place) => bytes < (base as number) ** (place + 2))
  const place = index < 0 ? prefixes.length - 1 : index
  return `${fixedText(((base as number) * bytes) / (base as number) ** (place + 2), 1)} ${prefixes[place]}${suffix}`
}
