/** The strings in literals of Python. */
import { UnsupportedTemplate } from '../template-error.ts'
import { decodeEscapes, EscapeError } from './decode-escapes.ts'

export const STRING =
  /([rRuUbBfF]{0,2})(?:"""((?:[^\\]|\\[\s\S])*?)"""|'''((?:[^\\]|\\[\s\S])*?)'''|"((?:[^"\\\n]|\\[\s\S])*)"|'((?:[^'\\\n]|\\[\s\S])*)')/y

interface DecodedString {
  readonly text: string
  /** The feature of the string that is not modelled. */
  readonly unsupported: string | undefined
}

/** Decodes a match of STRING. Returns undefined if Python rejects the string. */
export const decodeStringLiteral = ([, prefix, ...contents]: RegExpExecArray): DecodedString | undefined => {
  const flags = prefix!.toLowerCase()
  if (!['', 'r', 'u', 'b', 'br', 'rb'].includes(flags)) return undefined
  const unsupported = flags.includes('b') ? 'bytes' : undefined
  const content = contents.find((part) => part !== undefined)!
  if (flags.includes('r')) return { text: content, unsupported }
  try {
    return { text: decodeEscapes(content), unsupported }
  } catch (error) {
    if (error instanceof EscapeError) return undefined
    return { text: content, unsupported: error instanceof UnsupportedTemplate ? error.feature : unsupported }
  }
}
