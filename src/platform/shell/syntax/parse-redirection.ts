/** Parses the redirections of a command. */
import { UnsupportedCommand } from '#spec'
import { type NestedParsers, parseQuotedPart, parseWord } from './parse-word.ts'
import { ScriptReader } from './script-reader.ts'
import type { Redirection, Word, WordPart } from './script-tree.ts'
import { bareText, plainText } from './word-text.ts'

/** The text of a here-document. It is known only after the line that names it has been read. */
const documentWord = (text: string, isQuoted: boolean, parsers: NestedParsers): Word => {
  if (isQuoted) return [{ type: 'text', text, isQuoted: true }]
  const reader = new ScriptReader(text)
  const parts: WordPart[] = []
  while (!reader.isAtEnd) {
    // Double quotes are plain characters, and a backslash before one stays.
    const isPlain = reader.peek() === '"' || reader.startsWith('\\"')
    if (isPlain) {
      const length = reader.peek() === '"' ? 1 : 2
      parts.push({
        type: 'text',
        text: text.slice(reader.position, reader.position + length),
        isQuoted: true,
      })
      reader.position += length
    } else parts.push(parseQuotedPart(reader, parsers))
  }
  return parts
}

const parseDocument = (reader: ScriptReader, stripsTabs: boolean, parsers: NestedParsers): Redirection => {
  const word = parseWord(reader, parsers)
  const delimiter = word === undefined ? undefined : plainText(word)
  if (word === undefined || delimiter === undefined)
    throw new UnsupportedCommand('a here-document without a plain delimiter')
  const isQuoted = bareText(word) === undefined
  const target: { input: Word } = { input: [] }
  reader.addDocument({
    delimiter,
    stripsTabs,
    accept(text) {
      target.input = documentWord(text, isQuoted, parsers)
    },
  })
  return { from: 0, to: target }
}

const REDIRECTION = /(\d?)(<<-|<<|>>|>&|<&|>\||<>|<|>)/y
const MODES: Readonly<Record<string, 'read' | 'replace' | 'append'>> = {
  '<': 'read',
  '>': 'replace',
  '>|': 'replace',
  '>>': 'append',
}

export const parseRedirection = (reader: ScriptReader, parsers: NestedParsers): Redirection | undefined => {
  reader.skipBlanks()
  REDIRECTION.lastIndex = reader.position
  const found = REDIRECTION.exec(reader.text)
  if (found === null) return undefined
  const [whole, digit, operator] = found
  reader.position += whole.length
  if (operator === '<<' || operator === '<<-') return parseDocument(reader, operator === '<<-', parsers)
  const from = digit === '' ? (operator!.startsWith('<') ? 0 : 1) : Number(digit)
  const word = parseWord(reader, parsers)
  if (word === undefined) throw reader.error('redirection unexpected')
  const mode = MODES[operator!]
  if (mode !== undefined) return { from, to: { file: word, mode } }
  const target = plainText(word) ?? ''
  if (/^[><]&$/.test(operator!)) {
    if (target === '-') return { from, to: 'closed' }
    if (/^\d$/.test(target)) return { from, to: { descriptor: Number(target) } }
  }
  throw new UnsupportedCommand(`the redirection ${whole}${target}`)
}

export const parseRedirections = (reader: ScriptReader, parsers: NestedParsers): Redirection[] => {
  const redirections: Redirection[] = []
  for (
    let found = parseRedirection(reader, parsers);
    found !== undefined;
    found = parseRedirection(reader, parsers)
  )
    redirections.push(found)
  return redirections
}
