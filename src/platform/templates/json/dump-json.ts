/** Serialises values as `json.dumps` does. */
import { DateTime } from '../python/date-time.ts'
import { type AnyDict, dictEntries, isDict } from '../python/dict.ts'
import { floatText } from '../python/float-text.ts'
import { typeError } from '../python/python-error.ts'
import { intText } from '../python/repr.ts'
import { sortBy } from '../python/sort.ts'
import { typeName } from '../python/type-name.ts'
import { Undefined } from '../python/undefined.ts'
import { floatValue, isFloat, isInt, isString, plainCharactersOf, Tuple } from '../python/value.ts'
import { checkDepth, spendText } from '../work.ts'

export interface JsonLayout {
  /** The indentation of each level; undefined writes everything on one line. */
  readonly indent: string | undefined
  readonly sortsKeys: boolean
  readonly isAscii: boolean
  readonly itemSeparator: string
  readonly keySeparator: string
  /** Ansible writes dates and reports undefined values; Jinja's `tojson` fails with both. */
  readonly isAnsible: boolean
}

const NAMED: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\f': '\\f',
  '\b': '\\b',
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON does not allow them
const ESCAPED = /["\\\x00-\x1f]/g
const ESCAPED_IN_ASCII = /["\\]|[^ -~]/g

const escapeUnit = (unit: string): string =>
  NAMED[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Non-ASCII characters are written as UTF-16 units. */
export const dumpText = (text: string, isAscii: boolean): string =>
  `"${text.replace(isAscii ? ESCAPED_IN_ASCII : ESCAPED, escapeUnit)}"`

const scalarText = (value: unknown): string | undefined => {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (isInt(value)) return intText(value === 0 ? 0 : value)
  return isFloat(value) ? floatText(floatValue(value)) : undefined
}

const keyText = (key: unknown): string => {
  if (isString(key)) return plainCharactersOf(key)
  const text = scalarText(key)
  if (text === undefined) throw typeError(`keys must be str, int, float, bool or None, not ${typeName(key)}`)
  return text
}

const join = (parts: readonly string[], brackets: string, layout: JsonLayout, depth: number): string => {
  if (parts.length === 0) return brackets
  const [open, close] = brackets
  if (layout.indent === undefined) return `${open}${parts.join(layout.itemSeparator)}${close}`
  const line = `\n${layout.indent.repeat(depth + 1)}`
  return `${open}${line}${parts.join(layout.itemSeparator + line)}\n${layout.indent.repeat(depth)}${close}`
}

const dumpDict = (dict: AnyDict, layout: JsonLayout, depth: number): string => {
  const entries = dictEntries(dict)
  const sorted = layout.sortsKeys
    ? (sortBy(entries, (entry) => (entry as [unknown, unknown])[0], false) as [unknown, unknown][])
    : entries
  const parts = sorted.map(
    ([key, value]) =>
      dumpText(keyText(key), layout.isAscii) + layout.keySeparator + dumpAt(value, layout, depth + 1),
  )
  return join(parts, '{}', layout, depth)
}

const dumpAt = (value: unknown, layout: JsonLayout, depth: number): string => {
  checkDepth(depth)
  const scalar = scalarText(value)
  if (scalar !== undefined) return scalar
  if (isString(value)) {
    const text = dumpText(plainCharactersOf(value), layout.isAscii)
    spendText(text.length)
    return text
  }
  const items = value instanceof Tuple ? value.items : value
  const text = Array.isArray(items)
    ? join(
        items.map((item) => dumpAt(item, layout, depth + 1)),
        '[]',
        layout,
        depth,
      )
    : isDict(value)
      ? dumpDict(value, layout, depth)
      : dumpOther(value, layout)
  spendText(text.length)
  return text
}

const dumpOther = (value: unknown, layout: JsonLayout): string => {
  if (layout.isAnsible && value instanceof DateTime) return dumpText(value.text('T'), layout.isAscii)
  if (layout.isAnsible && value instanceof Undefined) value.fail()
  throw typeError(`Object of type ${typeName(value)} is not JSON serializable`)
}

export const dumpJson = (value: unknown, layout: JsonLayout): string => dumpAt(value, layout, 0)
