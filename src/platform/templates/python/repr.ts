/** Converts values to text as `str()` and `repr()` do. */
import { UnsupportedTemplate } from '../template-error.ts'
import { checkDepth, spendText } from '../work.ts'
import { DateTime, TimeDelta } from './date-time.ts'
import { type AnyDict, DictView, dictEntries, isDict } from './dict.ts'
import { floatText } from './float-text.ts'
import { valueError } from './python-error.ts'
import { typeName } from './type-name.ts'
import { Undefined } from './undefined.ts'
import { floatValue, isFloat, isInt, isString, plainCharactersOf, Range, Text, Tuple } from './value.ts'

/** Characters that Python prints as escapes: control and format characters, separators other than the space, unassigned ones. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u
// biome-ignore lint/suspicious/noControlCharactersInRegex: Python escapes them
const NEEDS_ESCAPES = /[\\'\x00-\x1f\x7f-\u{10ffff}]/u
const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' }

const escapeCharacter = (character: string, quote: string): string => {
  if (character === quote) return `\\${quote}`
  if (NAMED[character] !== undefined) return NAMED[character]
  if (!UNPRINTABLE.test(character)) return character
  const code = character.codePointAt(0)!
  if (code >= 0xd800 && code <= 0xdfff) throw new UnsupportedTemplate('text with unpaired surrogates')
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`
  return `\\U${code.toString(16).padStart(8, '0')}`
}

export const reprText = (text: string): string => {
  if (!NEEDS_ESCAPES.test(text)) return `'${text}'`
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  let escaped = ''
  for (const character of text) escaped += escapeCharacter(character, quote)
  return `${quote}${escaped}${quote}`
}

const reprDict = (dict: AnyDict, depth: number): string => {
  const pairs = dictEntries(dict).map(([key, value]) => `${reprAt(key, depth)}: ${reprAt(value, depth)}`)
  return `{${pairs.join(', ')}}`
}

const reprUndefined = ({ origin, isStrict }: Undefined): string => {
  if (!isStrict) return 'Undefined'
  if (origin.hint !== undefined || origin.owner !== undefined)
    throw new UnsupportedTemplate('the text of an undefined attribute inside a list')
  return `AnsibleUndefined(hint=None, obj=missing, name=${origin.nameRepr})`
}

const MAX_DIGITS = 4300

/** The digits of an int. Python refuses to print more than 4300. */
export const intText = (value: number | bigint): string => {
  const text = value.toString()
  if (text.length > MAX_DIGITS)
    throw valueError(`Exceeds the limit (${MAX_DIGITS} digits) for integer string conversion`)
  return text
}

const reprScalar = (value: unknown): string | undefined => {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (isInt(value)) return intText(value === 0 ? 0 : value)
  if (isFloat(value)) return floatText(floatValue(value))
  if (value instanceof DateTime || value instanceof TimeDelta) return value.repr()
  return value instanceof Undefined ? reprUndefined(value) : undefined
}

const reprRange = ({ start, stop, step }: Range): string =>
  `range(${start}, ${stop}${step === 1 ? '' : `, ${step}`})`

const reprContainer = (value: unknown, depth: number): string => {
  const inner = (item: unknown): string => reprAt(item, depth + 1)
  if (Array.isArray(value)) return `[${value.map(inner).join(', ')}]`
  if (isDict(value)) return reprDict(value, depth + 1)
  if (value instanceof Tuple) {
    return value.items.length === 1 ? `(${inner(value.items[0])},)` : `(${value.items.map(inner).join(', ')})`
  }
  if (value instanceof Range) return reprRange(value)
  if (value instanceof DictView) return `${typeName(value)}(${inner(value.items())})`
  throw new UnsupportedTemplate(`the text of a value of the type ${typeName(value)}`)
}

const reprString = (value: string | Text): string => {
  const text = reprText(plainCharactersOf(value))
  return value instanceof Text && value.kind === 'Markup' ? `Markup(${text})` : text
}

const reprAt = (value: unknown, depth: number): string => {
  checkDepth(depth)
  const text = isString(value) ? reprString(value) : (reprScalar(value) ?? reprContainer(value, depth))
  spendText(text.length)
  return text
}

export const repr = (value: unknown): string => reprAt(value, 0)

/** `str(value)`. Fails for undefined values. */
export const toText = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (isString(value)) return plainCharactersOf(value)
  if (value instanceof Undefined) return value.isStrict ? value.fail() : ''
  if (value instanceof DateTime || value instanceof TimeDelta) return value.text()
  return repr(value)
}
