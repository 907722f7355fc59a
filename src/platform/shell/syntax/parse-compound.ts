/** Parses compound commands: `if`, `for`, `case`, `while`, `until`, groups and subshells. */
import { expect, peekKeyword, takeKeyword, unexpected } from './keywords.ts'
import { parseRedirections } from './parse-redirection.ts'
import { type NestedParsers, parseWord } from './parse-word.ts'
import type { ScriptReader } from './script-reader.ts'
import type { CaseCommand, Command, IfCommand, Script, Word } from './script-tree.ts'
import { bareText } from './word-text.ts'

/** The parsers of the words and lists inside compound commands. */
interface CompoundParsers extends NestedParsers {
  readonly parseList: (reader: ScriptReader) => Script
}

const parseIf = (reader: ScriptReader, parsers: CompoundParsers): IfCommand => {
  const branches: { condition: Script; body: Script }[] = []
  do {
    const condition = parseBlock(reader, parsers, 'then')
    branches.push({ condition, body: parseBlock(reader, parsers) })
  } while (takeKeyword(reader, 'elif'))
  const otherwise = takeKeyword(reader, 'else') ? parseBlock(reader, parsers) : undefined
  expect(reader, 'fi')
  return { type: 'if', branches, otherwise, redirections: parseRedirections(reader, parsers) }
}

/** A list that must not be empty, and the keyword after it. */
const parseBlock = (reader: ScriptReader, parsers: CompoundParsers, end?: string): Script => {
  const list = parsers.parseList(reader)
  if (list.length === 0) throw unexpected(reader, reader.isAtEnd ? end : undefined)
  if (end !== undefined) expect(reader, end)
  return list
}

const parseBody = (reader: ScriptReader, parsers: CompoundParsers): Script => {
  reader.skipNewlines()
  expect(reader, 'do')
  return parseBlock(reader, parsers, 'done')
}

const parseWords = (reader: ScriptReader, parsers: CompoundParsers): Word[] => {
  const words: Word[] = []
  for (let word = parseWord(reader, parsers); word !== undefined; word = parseWord(reader, parsers))
    words.push(word)
  return words
}

const parseFor = (reader: ScriptReader, parsers: CompoundParsers): Command => {
  const variable = bareText(parseWord(reader, parsers) ?? [])
  if (variable === undefined || !/^[A-Za-z_]\w*$/.test(variable)) throw reader.error('Bad for loop variable')
  reader.skipNewlines()
  const words = takeKeyword(reader, 'in') ? parseWords(reader, parsers) : undefined
  if (!reader.take(';') && reader.operator() !== '\n' && words !== undefined) throw unexpected(reader, 'do')
  const body = parseBody(reader, parsers)
  return { type: 'for', variable, words, body, redirections: parseRedirections(reader, parsers) }
}

const parseCase = (reader: ScriptReader, parsers: CompoundParsers): CaseCommand => {
  const word = parseWord(reader, parsers)
  if (word === undefined) throw unexpected(reader)
  reader.skipNewlines()
  expect(reader, 'in')
  reader.skipNewlines()
  const branches: { patterns: Word[]; body: Script }[] = []
  while (!takeKeyword(reader, 'esac')) {
    reader.take('(')
    const patterns: Word[] = []
    do {
      const pattern = parseWord(reader, parsers)
      if (pattern === undefined) throw unexpected(reader)
      patterns.push(pattern)
    } while (reader.take('|'))
    if (!reader.take(')')) throw unexpected(reader, ')')
    branches.push({ patterns, body: parsers.parseList(reader) })
    if (!reader.take(';;') && peekKeyword(reader) !== 'esac') throw unexpected(reader, ';;')
    reader.skipNewlines()
  }
  return { type: 'case', word, branches, redirections: parseRedirections(reader, parsers) }
}

const parseLoop = (reader: ScriptReader, type: 'while' | 'until', parsers: CompoundParsers): Command => {
  const condition = parseBlock(reader, parsers)
  const body = parseBody(reader, parsers)
  return { type, condition, body, redirections: parseRedirections(reader, parsers) }
}

/** Returns undefined if no compound command begins at the position. */
export const parseCompound = (reader: ScriptReader, parsers: CompoundParsers): Command | undefined => {
  if (reader.take('(')) {
    const body = parsers.parseNested(reader, ')')
    return { type: 'subshell', body, redirections: parseRedirections(reader, parsers) }
  }
  if (takeKeyword(reader, 'if')) return parseIf(reader, parsers)
  if (takeKeyword(reader, 'for')) return parseFor(reader, parsers)
  if (takeKeyword(reader, 'case')) return parseCase(reader, parsers)
  if (takeKeyword(reader, 'while')) return parseLoop(reader, 'while', parsers)
  if (takeKeyword(reader, 'until')) return parseLoop(reader, 'until', parsers)
  if (!takeKeyword(reader, '{')) return undefined
  const body = parseBlock(reader, parsers, '}')
  return { type: 'group', body, redirections: parseRedirections(reader, parsers) }
}
