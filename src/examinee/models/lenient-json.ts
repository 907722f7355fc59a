/** Parses JSON as language models write it: with line breaks in strings, trailing commas, single quotes or text around it. */
import { jsonrepair } from 'jsonrepair'

/** Returns the index of the bracket that closes the one at `from`, or undefined if it is never closed. */
const findClosingBracket = (text: string, from: number): number | undefined => {
  let depth = 0
  let isQuoted = false
  for (let index = from; index < text.length; index += 1) {
    const character = text[index]!
    if (isQuoted) {
      if (character === '\\') index += 1
      else if (character === '"') isQuoted = false
    } else if (character === '"') isQuoted = true
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') {
      depth -= 1
      if (depth === 0) return index
    }
  }
  return undefined
}

/** Returns the source text of the first object or array in a text. */
export const findFirstObject = (text: string): string | undefined => {
  const from = text.search(/[{[]/)
  if (from === -1) return undefined
  const to = findClosingBracket(text, from)
  return to === undefined ? undefined : text.slice(from, to + 1)
}

const tryParse = (parse: () => unknown): object | undefined => {
  try {
    const value = parse()
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns an object or an array, or undefined if the text contains neither. */
export const parseLenientJson = (text: string): object | undefined => {
  const exact = tryParse(() => JSON.parse(text.trim()))
  if (exact !== undefined) return exact
  const source = findFirstObject(text)
  return source === undefined ? undefined : tryParse(() => JSON.parse(jsonrepair(source)))
}
