/** Reads JSON as language models write it: with line breaks in strings, trailing commas, single quotes, text around it. */
import { yamlLibrary } from '../kit/index.ts'

/** Where the object that opens at `from` ends; nothing where it never does. */
const closingBrace = (text: string, from: number): number | undefined => {
  let depth = 0
  let quoted = false
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at]!
    if (quoted) {
      if (letter === '\\') at += 1
      else if (letter === '"') quoted = false
    } else if (letter === '"') quoted = true
    else if (letter === '{' || letter === '[') depth += 1
    else if (letter === '}' || letter === ']') {
      depth -= 1
      if (depth === 0) return at
    }
  }
  return undefined
}

/** The first object or list in the text, as it is written there. */
export const firstObject = (text: string): string | undefined => {
  const from = text.search(/[{[]/)
  if (from === -1) return undefined
  const to = closingBrace(text, from)
  return to === undefined ? undefined : text.slice(from, to + 1)
}

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Line breaks and tabs inside strings, which JSON wants escaped and models often leave as they are. */
const escapeInStrings = (text: string): string =>
  text.replaceAll(/"(?:[^"\\]|\\[\s\S])*"/g, (quoted) =>
    quoted.replaceAll(/[\n\r\t]/g, (letter) => ESCAPES[letter]!),
  )

const attempt = (read: () => unknown): object | undefined => {
  try {
    const value = read()
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** An object or a list; nothing where the text holds neither. YAML reads most of what JSON refuses. */
export const parseLenientJson = (text: string): object | undefined => {
  const exact = attempt(() => JSON.parse(text.trim()))
  if (exact !== undefined) return exact
  const written = firstObject(text)
  if (written === undefined) return undefined
  const escaped = escapeInStrings(written)
  return (
    attempt(() => JSON.parse(escaped)) ??
    attempt(() => yamlLibrary().parse(escaped, { maxAliasCount: 0, logLevel: 'silent' }))
  )
}
