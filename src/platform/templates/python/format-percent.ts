/** Formats strings as `'%s' % value` does. */
import { UnsupportedTemplate } from '../template-error.ts'
import { spendText } from '../work.ts'
import { lengthOf, sliceText } from './characters.ts'
import { dictGet, isDict } from './dict.ts'
import { floatDigits, type NumberLayout, padNumber, padText } from './pad-number.ts'
import { PythonError, typeError, valueError } from './python-error.ts'
import { repr, reprText, toText } from './repr.ts'
import { typeName } from './type-name.ts'
import { Undefined } from './undefined.ts'
import {
  floatValue,
  indexOf,
  intOf,
  isFloat,
  isInt,
  isNumeric,
  isString,
  plainCharactersOf,
  Tuple,
} from './value.ts'

const DIRECTIVE = /%(?:\(([^()]*)\))?([-+ #0]*)(\*|\d+)?(\.(\*|\d+)?)?[hlL]?([\s\S]?)/gu

interface Directive {
  readonly key: string | undefined
  readonly flags: string
  readonly width: number
  readonly precision: number | undefined
  readonly conversion: string
}

/** The arguments, consumed from left to right. */
interface Arguments {
  next(): unknown
  named(key: string): unknown
  finish(): void
}

const argumentsOf = (values: unknown): Arguments => {
  const items = values instanceof Tuple ? values.items : [values]
  const mayRemain = Array.isArray(values) || isDict(values) || values instanceof Undefined
  let used = 0
  let wasNamed = false
  return {
    next() {
      if (wasNamed) throw new UnsupportedTemplate('named and unnamed values in one format')
      if (used >= items.length) throw typeError('not enough arguments for format string')
      used += 1
      return items[used - 1]
    },
    named(key) {
      if (!isDict(values)) throw typeError('format requires a mapping')
      const value = dictGet(values, key)
      if (value === undefined) throw new PythonError('KeyError', reprText(key))
      wasNamed = true
      return value
    },
    finish() {
      if (used < items.length && !mayRemain && !wasNamed)
        throw typeError('not all arguments converted during string formatting')
    },
  }
}

const layoutOf = ({ flags, width }: Directive): NumberLayout => {
  const isLeft = flags.includes('-')
  return {
    sign: flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '-',
    width,
    fill: flags.includes('0') && !isLeft ? '0' : ' ',
    align: isLeft ? '<' : flags.includes('0') ? '=' : '>',
    group: '',
  }
}

const wholeNumber = (value: unknown, conversion: string): number | bigint => {
  if (value instanceof Undefined) value.fail()
  if (isInt(value) || typeof value === 'boolean') return intOf(value)
  const isDecimal = 'diu'.includes(conversion)
  if (isFloat(value) && isDecimal) return BigInt(Math.trunc(floatValue(value)))
  const expected = isDecimal ? 'a real number' : 'an integer'
  throw typeError(`%${conversion} format: ${expected} is required, not ${typeName(value)}`)
}

const RADIX: Readonly<Record<string, number>> = { o: 8, x: 16, X: 16 }

const formatInt = (value: unknown, directive: Directive): string => {
  const { conversion, flags, precision } = directive
  const int = wholeNumber(value, conversion)
  const digits = (int < 0 ? -int : int).toString(RADIX[conversion] ?? 10)
  const prefix = flags.includes('#') && conversion in RADIX ? `0${conversion}` : ''
  const whole = (conversion === 'X' ? digits.toUpperCase() : digits).padStart(precision ?? 0, '0')
  return padNumber({ prefix, whole, rest: '', isNegative: int < 0 }, layoutOf(directive))
}

const formatFloat = (value: unknown, directive: Directive): string => {
  if (value instanceof Undefined) value.fail()
  if (!isNumeric(value)) throw typeError(`must be real number, not ${typeName(value)}`)
  const number = isFloat(value) ? floatValue(value) : Number(value)
  if (!Number.isFinite(number)) throw new PythonError('OverflowError', 'int too large to convert to float')
  const hash = directive.flags.includes('#')
  const { whole, rest } = floatDigits(number, directive.conversion, directive.precision ?? 6, hash)
  if (hash && !rest.includes('.')) throw new UnsupportedTemplate('the flag # of a float without a fraction')
  const isNegative = number < 0 || Object.is(number, -0)
  return padNumber({ prefix: '', whole, rest, isNegative }, layoutOf(directive))
}

const formatText = (value: unknown, { conversion, precision, width, flags }: Directive): string => {
  const full = conversion === 's' ? toText(value) : repr(value)
  const text = precision === undefined ? full : sliceText(full, 0, precision)
  return padText(text, lengthOf(text), width, ' ', flags.includes('-') ? '<' : '>')
}

const formatCharacter = (value: unknown, { width, flags }: Directive): string => {
  if (value instanceof Undefined) value.fail()
  const text = isString(value) ? plainCharactersOf(value) : undefined
  const code = indexOf(value)
  if (text === undefined ? code === undefined : lengthOf(text) !== 1)
    throw typeError('%c requires int or char')
  if (code !== undefined && (code < 0 || code > 0x10ffff))
    throw new PythonError('OverflowError', '%c arg not in range(0x110000)')
  return padText(text ?? String.fromCodePoint(code!), 1, width, ' ', flags.includes('-') ? '<' : '>')
}

const format = (value: unknown, directive: Directive): string => {
  const { conversion } = directive
  if ('sr'.includes(conversion)) return formatText(value, directive)
  if ('diuoxX'.includes(conversion)) return formatInt(value, directive)
  if ('eEfFgG'.includes(conversion)) return formatFloat(value, directive)
  if (conversion === 'c') return formatCharacter(value, directive)
  throw new UnsupportedTemplate(`the conversion %${conversion}`)
}

const numberFrom = (text: string | undefined, values: Arguments): number | undefined => {
  if (text === undefined) return undefined
  const number = text === '*' ? indexOf(values.next()) : Number(text)
  if (number === undefined) throw typeError('* wants int')
  if (number < 0) throw new UnsupportedTemplate('negative widths in formats')
  spendText(number)
  return number
}

export const formatPercent = (pattern: string, given: unknown): string => {
  const values = argumentsOf(given)
  const text = pattern.replace(DIRECTIVE, (all, key, flags, width, dot, precision, conversion) => {
    if (all === '%%') return '%'
    if (conversion === '') throw valueError('incomplete format')
    if (conversion === '%' || conversion === '(') throw new UnsupportedTemplate(`the format ${all}`)
    if (!/[a-zA-Z]/.test(conversion) || !'diuoxXeEfFgGcrsa'.includes(conversion)) {
      throw valueError(`unsupported format character '${conversion}'`)
    }
    const directive: Directive = {
      key,
      flags,
      width: numberFrom(width, values) ?? 0,
      precision: numberFrom(precision, values) ?? (dot === undefined ? undefined : 0),
      conversion,
    }
    return format(key === undefined ? values.next() : values.named(key), directive)
  })
  values.finish()
  return text
}
