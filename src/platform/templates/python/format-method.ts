/** Formats strings as `'{} {name}'.format(...)` does. */
import { UnsupportedTemplate } from '../template-error.ts'
import { growText } from '../work.ts'
import { dictGet, isDict } from './dict.ts'
import { formatValue } from './format-spec.ts'
import { PythonError, valueError } from './python-error.ts'
import { repr, reprText, toText } from './repr.ts'
import { type Keywords, Tuple } from './value.ts'

const FIELD = /^([^.[\]{}!:]*)((?:\[[^[\]{}]+\])*)(?:!([rs]))?(?::([^{}]*))?$/s

interface Numbering {
  automatic: number
  isManual: boolean
}

const argumentOf = (
  name: string,
  args: readonly unknown[],
  keywords: Keywords,
  numbering: Numbering,
): unknown => {
  if (name !== '' && !/^\d+$/.test(name)) {
    if (!keywords.has(name)) throw new PythonError('KeyError', reprText(name))
    return keywords.get(name)
  }
  if (name === '' && numbering.isManual)
    throw valueError('cannot switch from manual field specification to automatic field numbering')
  if (name !== '' && numbering.automatic > 0)
    throw valueError('cannot switch from automatic field numbering to manual field specification')
  const index = name === '' ? numbering.automatic : Number(name)
  if (name === '') numbering.automatic += 1
  else numbering.isManual = true
  if (index >= args.length)
    throw new PythonError('IndexError', `Replacement index ${index} out of range for positional args tuple`)
  return args[index]
}

const itemOf = (value: unknown, key: string): unknown => {
  const isIndex = /^\d+$/.test(key)
  if (isDict(value)) {
    const item = dictGet(value, isIndex ? Number(key) : key)
    if (item === undefined) throw new PythonError('KeyError', isIndex ? key : reprText(key))
    return item
  }
  const items = value instanceof Tuple ? value.items : value
  if (!Array.isArray(items) || !isIndex || Number(key) >= items.length)
    throw new UnsupportedTemplate(`the item [${key}] in a format`)
  return items[Number(key)]
}

/** Finds the end of a replacement field; nested fields are not supported. */
const fieldEnd = (pattern: string, start: number): number => {
  const end = pattern.indexOf('}', start)
  if (end < 0)
    throw valueError(
      start === pattern.length
        ? "Single '{' encountered in format string"
        : "expected '}' before end of string",
    )
  if (pattern.slice(start, end).includes('{')) throw new UnsupportedTemplate('nested fields in formats')
  return end
}

export const formatMethod = (pattern: string, args: readonly unknown[], keywords: Keywords): string => {
  const numbering: Numbering = { automatic: 0, isManual: false }
  let result = ''
  let position = 0
  while (position < pattern.length) {
    const character = pattern[position]!
    const isDouble = pattern[position + 1] === character
    if ((character === '{' || character === '}') && !isDouble) {
      if (character === '}') throw valueError("Single '}' encountered in format string")
      const end = fieldEnd(pattern, position + 1)
      const field = pattern.slice(position + 1, end)
      const match = FIELD.exec(field)
      if (match === null) throw new UnsupportedTemplate(`the field {${field}} in a format`)
      const [, name, items, conversion, spec] = match
      let value = argumentOf(name!, args, keywords, numbering)
      for (const [, key] of items!.matchAll(/\[([^\]]+)\]/g)) value = itemOf(value, key!)
      const converted = conversion === 'r' ? repr(value) : conversion === 's' ? toText(value) : value
      result += formatValue(converted, spec ?? '')
      position = end + 1
    } else {
      result += character
      position += character === '{' || character === '}' ? 2 : 1
    }
    growText(result.length)
  }
  return result
}
