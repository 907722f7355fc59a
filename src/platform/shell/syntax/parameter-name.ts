/** Reads the name and the operator of a parameter. */
import type { ScriptReader } from './script-reader.ts'
import type { WordPart } from './script-tree.ts'

const NAME = /[A-Za-z_]\w*/y

export const SPECIAL = new Set(['?', '#', '@', '*', '$', '!', '-'])

export const readName = (reader: ScriptReader): string | undefined => {
  NAME.lastIndex = reader.position
  const found = NAME.exec(reader.text)?.[0]
  if (found !== undefined) reader.position += found.length
  return found
}

/** A name, a digit or a special character. */
export const readParameter = (reader: ScriptReader): string | undefined => {
  const name = readName(reader)
  if (name !== undefined) return name
  const [digits] = /^\d+/.exec(reader.text.slice(reader.position, reader.position + 8)) ?? []
  const found = digits ?? (SPECIAL.has(reader.peek()) ? reader.peek() : undefined)
  if (found !== undefined) reader.position += found.length
  return found
}

export const OPERATORS = [':-', ':=', ':+', ':?', '##', '%%', '-', '=', '+', '?', '#', '%'] as const

/** `${#name}` */
export const parseLength = (reader: ScriptReader, isQuoted: boolean): WordPart | undefined => {
  const found = /^#([A-Za-z_]\w*|\d+|[?@*$!-])\}/.exec(
    reader.text.slice(reader.position, reader.position + 99),
  )
  if (found === null) return undefined
  reader.position += found[0].length
  return { type: 'parameter', name: found[1]!, isQuoted, operator: 'length' }
}
