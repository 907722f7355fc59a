/** Values as Python's `str` and `repr` write them. */
import { isPlainObject } from '#kit'

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Control characters and other characters that Python does not consider printable. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0')

const escapeCharacter = (character: string): string => {
  const known = ESCAPES[character]
  if (known !== undefined) return known
  if (!UNPRINTABLE.test(character)) return character
  const code = character.codePointAt(0)!
  if (code <= 0xff) return `\\x${hex(code, 2)}`
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`
}

const quoteOf = (text: string): string => (text.includes("'") && !text.includes('"') ? '"' : "'")

/** `repr` of a string. */
const textRepr = (text: string): string => {
  const quote = quoteOf(text)
  const escaped = [...text].map(escapeCharacter).join('')
  return `${quote}${quote === "'" ? escaped.replaceAll("'", "\\'") : escaped}${quote}`
}

/** `repr` of the UTF-8 bytes of a string. */
export const bytesRepr = (text: string): string => {
  const quote = quoteOf(text)
  let escaped = ''
  for (const byte of Buffer.from(text)) {
    const character = String.fromCharCode(byte)
    if (ESCAPES[character] !== undefined) escaped += ESCAPES[character]
    else if (byte < 0x20 || byte > 0x7e) escaped += `\\x${hex(byte, 2)}`
    else escaped += character === quote ? `\\${character}` : character
  }
  return `b${quote}${escaped}${quote}`
}

export const pythonRepr = (value: unknown): string => {
  if (typeof value === 'string') return textRepr(value)
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`
  if (isPlainObject(value))
    return `{${Object.entries(value)
      .map(([key, member]) => `${textRepr(key)}: ${pythonRepr(member)}`)
      .join(', ')}}`
  return pythonString(value)
}

export const pythonString = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return 'None'
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (typeof value === 'number') return String(value)
  return pythonRepr(value)
}

/** The name in messages such as `<class 'str'>`. */
export const pythonType = (value: unknown): string => {
  if (value === null || value === undefined) return "<class 'NoneType'>"
  if (typeof value === 'boolean') return "<class 'bool'>"
  if (typeof value === 'number') return Number.isInteger(value) ? "<class 'int'>" : "<class 'float'>"
  if (typeof value === 'string') return "<class 'str'>"
  return Array.isArray(value) ? "<class 'list'>" : "<class 'dict'>"
}

/** Whether Python considers the value true. */
export const isTrue = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.length > 0
  if (isPlainObject(value)) return Object.keys(value).length > 0
  return Boolean(value)
}

/** Whether Python considers the values equal. */
export const isEqual = (a: unknown, b: unknown): boolean => {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index]))
  if (isPlainObject(a) && isPlainObject(b)) {
    const keys = Object.keys(a)
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
    )
  }
  if (typeof a === 'boolean' && typeof b === 'number') return Number(a) === b
  if (typeof a === 'number' && typeof b === 'boolean') return a === Number(b)
  return (a ?? null) === (b ?? null)
}
