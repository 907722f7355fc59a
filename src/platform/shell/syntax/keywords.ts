/** Reads the keywords of a script, and reports an unexpected token as dash does. */
import type { ScriptReader, ShellSyntaxError } from './script-reader.ts'

export const ENDING_WORDS = new Set(['then', 'do', 'done', 'fi', 'else', 'elif', '}', 'esac'])

const KEYWORD = /(?:[!{}]|\[\[|[a-z]+)(?=[\s;&|<>()]|$)/y

/** The next word if it could be a keyword, without taking it. */
export const peekKeyword = (reader: ScriptReader): string | undefined => {
  reader.skipBlanks()
  KEYWORD.lastIndex = reader.position
  return KEYWORD.exec(reader.text)?.[0]
}

export const takeKeyword = (reader: ScriptReader, text: string): boolean => {
  if (peekKeyword(reader) !== text) return false
  reader.position += text.length
  return true
}

/** The error of dash for a token that it did not expect. */
export const unexpected = (reader: ScriptReader, expected?: string): ShellSyntaxError => {
  const operator = reader.operator()
  const hint = expected === undefined ? '' : ` (expecting "${expected}")`
  if (reader.isAtEnd) return reader.error(`end of file unexpected${hint}`)
  if (operator === '\n') return reader.error(`newline unexpected${hint}`)
  if (operator !== undefined) return reader.error(`"${operator}" unexpected${hint}`)
  const keyword = peekKeyword(reader)
  const isKeyword = keyword !== undefined && ENDING_WORDS.has(keyword)
  return reader.error(`${isKeyword ? `"${keyword}"` : 'word'} unexpected${hint}`)
}

export const expect = (reader: ScriptReader, text: string): void => {
  if (!takeKeyword(reader, text)) throw unexpected(reader, text)
}
