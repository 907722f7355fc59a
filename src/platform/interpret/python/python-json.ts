/** JSON as Python's `json.dumps` writes it. */
import { isPlainObject } from '#kit'

export interface PythonJsonOptions {
  /** Spaces for each level; on one line by default. */
  readonly indent?: number
  readonly sortKeys?: boolean
  /** Escapes all non-ASCII characters. */
  readonly asciiOnly?: boolean
  /** No spaces after commas and colons. */
  readonly compact?: boolean
}

const escapeNonAscii = (text: string): string =>
  text.replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const byCodePoint = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export const pythonJson = (value: unknown, options: PythonJsonOptions = {}): string => {
  const { indent, sortKeys = false, asciiOnly = false, compact = false } = options
  const toText = (text: string): string => {
    const json = JSON.stringify(text)
    return asciiOnly ? escapeNonAscii(json).replaceAll('\\u007f', '\u007f') : json
  }
  const separator = compact ? ',' : ', '
  const join = (open: string, parts: readonly string[], close: string, level: number): string => {
    if (parts.length === 0) return open + close
    if (indent === undefined) return open + parts.join(separator) + close
    const inner = `\n${' '.repeat(indent * (level + 1))}`
    return `${open}${inner}${parts.join(`,${inner}`)}\n${' '.repeat(indent * level)}${close}`
  }
  const write = (member: unknown, level: number): string => {
    if (member === null || member === undefined) return 'null'
    if (typeof member === 'string') return toText(member)
    if (Array.isArray(member))
      return join(
        '[',
        member.map((item) => write(item, level + 1)),
        ']',
        level,
      )
    if (!isPlainObject(member)) return JSON.stringify(member) ?? 'null'
    const keys = Object.keys(member)
    if (sortKeys) keys.sort(byCodePoint)
    const parts = keys.map((key) => `${toText(key)}${compact ? ':' : ': '}${write(member[key], level + 1)}`)
    return join('{', parts, '}', level)
  }
  return write(value, 0)
}
