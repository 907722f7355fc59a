/** The value of a string token. */
import { decodeEscapes, EscapeError } from '../python/decode-escapes.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { syntaxError } from './syntax-error.ts'

export const decodeString = (token: string): string => {
  const text = token.slice(1, -1)
  // Jinja decodes the non-ASCII characters as escapes, so a backslash before one of them splits it.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  if (/(?<!\\)(?:\\\\)*\\[^\x00-\x7f]/.test(text))
    throw new UnsupportedTemplate('a backslash before a non-ASCII character')
  try {
    return decodeEscapes(text)
  } catch (error) {
    if (error instanceof EscapeError) throw syntaxError(error.message)
    throw error
  }
}
