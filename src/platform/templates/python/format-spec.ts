/** Formats values by the format specifications of `str.format`. */
import { UnsupportedTemplate } from '../template-error.ts'
import { spendText } from '../work.ts'
import { lengthOf, sliceText } from './characters.ts'
import { floatText } from './float-text.ts'
import { floatDigits, padNumber, padText } from './pad-number.ts'
import { PythonError, typeError, valueError } from './python-error.ts'
import { toText } from './repr.ts'
import { typeName } from './type-name.ts'
import { Undefined } from './undefined.ts'
import { floatValue, intOf, isFloat, isInt, isString } from './value.ts'

const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/su

interface Spec {
  readonly fill: string | undefined
  readonly align: string | undefined
  readonly sign: '+' | '-' | ' '
  readonly hasPrefix: boolean
  readonly isZeroPadded: boolean
  readonly width: number
  readonly group: string
  readonly precision: number | undefined
  readonly type: string
}

const parseSpec = (spec: string): Spec => {
  const match = SPEC.exec(spec)
  if (match === null || match[4] !== undefined)
    throw new UnsupportedTemplate(`the format specification ${spec}`)
  const [, fill, align, sign, , hash, zero, width, group, precision, type] = match
  spendText(Number(width ?? 0) + Number(precision ?? 0))
  return {
    fill,
    align,
    sign: (sign ?? '-') as Spec['sign'],
    hasPrefix: hash !== undefined,
    isZeroPadded: zero !== undefined,
    width: Number(width ?? 0),
    group: group ?? '',
    precision: precision === undefined ? undefined : Number(precision),
    type: type ?? '',
  }
}

const layoutOf = ({ sign, width, fill, align, isZeroPadded, group }: Spec) => ({
  sign,
  width,
  fill: fill ?? (isZeroPadded ? '0' : ' '),
  align: (align ?? (isZeroPadded ? '=' : '>')) as '<' | '>' | '^' | '=',
  group,
})

const unknownCode = (type: string, value: unknown) =>
  valueError(`Unknown format code '${type}' for object of type '${typeName(value)}'`)

const formatFloat = (value: number, spec: Spec): string => {
  const isPercent = spec.type === '%'
  const digits = floatDigits(
    isPercent ? value * 100 : value,
    isPercent ? 'f' : spec.type,
    spec.precision ?? 6,
    spec.hasPrefix,
  )
  if (spec.hasPrefix) throw new UnsupportedTemplate('the flag # of a float')
  const rest = digits.rest + (isPercent ? '%' : '')
  const isNegative = value < 0 || Object.is(value, -0)
  return padNumber({ prefix: '', whole: digits.whole, rest, isNegative }, layoutOf(spec))
}

/** Without a type, a float is printed as `str` does. */
const formatShortest = (value: number, spec: Spec): string => {
  if (spec.precision !== undefined || spec.hasPrefix)
    throw new UnsupportedTemplate('the precision of a float without a type')
  const text = floatText(Math.abs(value))
  const whole = /^\d+/.exec(text)![0]
  const isNegative = value < 0 || Object.is(value, -0)
  return padNumber({ prefix: '', whole, rest: text.slice(whole.length), isNegative }, layoutOf(spec))
}

const RADIX: Readonly<Record<string, number>> = { '': 10, d: 10, b: 2, o: 8, x: 16, X: 16 }

const formatInt = (value: number | bigint, spec: Spec): string => {
  const radix = RADIX[spec.type]
  if (radix === undefined) {
    if ('cn'.includes(spec.type)) throw new UnsupportedTemplate(`the format type ${spec.type}`)
    if (!'eEfFgG%'.includes(spec.type)) throw unknownCode(spec.type, value)
    const number = Number(value)
    if (!Number.isFinite(number)) throw new PythonError('OverflowError', 'int too large to convert to float')
    return formatFloat(number, spec)
  }
  if (spec.precision !== undefined) throw valueError('Precision not allowed in integer format specifier')
  const digits = (value < 0 ? -value : value).toString(radix)
  const prefix = spec.hasPrefix && radix !== 10 ? `0${spec.type}` : ''
  const whole = spec.type === 'X' ? digits.toUpperCase() : digits
  if (spec.group === ',' && radix !== 10) throw valueError(`Cannot specify ',' with '${spec.type}'.`)
  return padNumber({ prefix, whole, rest: '', isNegative: value < 0 }, layoutOf(spec), radix === 10 ? 3 : 4)
}

const formatString = (value: string, spec: Spec): string => {
  if (spec.type !== '' && spec.type !== 's') throw unknownCode(spec.type, value)
  if (spec.sign !== '-' || spec.group !== '' || spec.hasPrefix || spec.align === '=')
    throw new UnsupportedTemplate('format specifications of numbers for strings')
  const text = spec.precision === undefined ? value : sliceText(value, 0, spec.precision)
  return padText(
    text,
    lengthOf(text),
    spec.width,
    spec.fill ?? (spec.isZeroPadded ? '0' : ' '),
    spec.align ?? '<',
  )
}

/** `format(value, spec)`. */
export const formatValue = (value: unknown, spec: string): string => {
  if (value instanceof Undefined) value.fail()
  if (spec === '') return toText(value)
  if (isString(value)) return formatString(toText(value), parseSpec(spec))
  if (isInt(value) || typeof value === 'boolean') return formatInt(intOf(value), parseSpec(spec))
  if (isFloat(value)) {
    const parsed = parseSpec(spec)
    if (parsed.type === '') return formatShortest(floatValue(value), parsed)
    if (parsed.type === 'n') throw new UnsupportedTemplate('the format type n')
    if (!'eEfFgG%'.includes(parsed.type)) throw unknownCode(parsed.type, value)
    return formatFloat(floatValue(value), parsed)
  }
  throw typeError(`unsupported format string passed to ${typeName(value)}.__format__`)
}
