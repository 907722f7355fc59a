/** Parses a script for /bin/sh. Constructs that are not modelled are refused, never ignored. */
import { UnsupportedCommand } from '#spec'
import { parseRedirection, parseRedirections } from './parse-redirection.ts'
import { bareText, type NestedParsers, parseWord } from './parse-word.ts'
import { ScriptReader, ShellSyntaxError } from './script-reader.ts'
import type { AndOr, CaseCommand, Command, IfCommand, Pipeline, Script, Word } from './script-tree.ts'

const ASSIGNMENT = /^([A-Za-z_]\w*)=/
const ENDING_WORDS = new Set(['then', 'do', 'done', 'fi', 'else', 'elif', '}', 'esac'])
const UNSUPPORTED_WORDS = new Set(['function', 'select', '[[', 'time', 'coproc'])

const PARSERS: NestedParsers = {
  parseNested: (reader, end) => {
    const script = parseList(reader)
    if (!reader.take(end)) throw unexpected(reader, end)
    return script
  },
  parseText: (text) => {
    const { script, error } = parseScript(text)
    if (error !== undefined) throw error
    return script
  },
}

const KEYWORD = /(?:[!{}]|\[\[|[a-z]+)(?=[\s;&|<>()]|$)/y

/** The next word if it could be a keyword, without taking it. */
const peekKeyword = (reader: ScriptReader): string | undefined => {
  reader.skipBlanks()
  KEYWORD.lastIndex = reader.position
  return KEYWORD.exec(reader.text)?.[0]
}

const takeKeyword = (reader: ScriptReader, text: string): boolean => {
  if (peekKeyword(reader) !== text) return false
  reader.position += text.length
  return true
}

/** The error of dash for a token that it did not expect. */
const unexpected = (reader: ScriptReader, expected?: string): ShellSyntaxError => {
  const operator = reader.operator()
  const hint = expected === undefined ? '' : ` (expecting "${expected}")`
  if (reader.isAtEnd) return reader.error(`end of file unexpected${hint}`)
  if (operator === '\n') return reader.error(`newline unexpected${hint}`)
  if (operator !== undefined) return reader.error(`"${operator}" unexpected${hint}`)
  const keyword = peekKeyword(reader)
  const isKeyword = keyword !== undefined && ENDING_WORDS.has(keyword)
  return reader.error(`${isKeyword ? `"${keyword}"` : 'word'} unexpected${hint}`)
}

const expect = (reader: ScriptReader, text: string): void => {
  if (!takeKeyword(reader, text)) throw unexpected(reader, text)
}

const withoutPrefix = (word: Word, length: number): Word => {
  let left = length
  return word.flatMap((part) => {
    if (left === 0 || part.type !== 'text') return [part]
    const cut = Math.min(left, part.text.length)
    left -= cut
    const text = part.text.slice(cut)
    return text === '' && !part.isQuoted ? [] : [{ ...part, text }]
  })
}

/** The unquoted text at the start of a word. */
const leadingText = (word: Word): string => {
  let text = ''
  for (const part of word) {
    if (part.type !== 'text' || part.isQuoted) break
    text += part.text
  }
  return text
}

const parseFunction = (reader: ScriptReader, word: Word): Command => {
  const name = bareText(word)
  if (name === undefined || !/^[A-Za-z_]\w*$/.test(name)) throw reader.error('Bad function name')
  reader.take('(')
  if (!reader.take(')')) throw unexpected(reader, ')')
  reader.skipNewlines()
  return { type: 'function', name, body: parseCommand(reader), redirections: [] }
}

const parseSimple = (reader: ScriptReader): Command => {
  const assignments: { name: string; value: Word }[] = []
  const words: Word[] = []
  const redirections = parseRedirections(reader, PARSERS)
  const { line } = reader
  for (;;) {
    const redirection = parseRedirection(reader, PARSERS)
    if (redirection !== undefined) {
      redirections.push(redirection)
      continue
    }
    const word = parseWord(reader, PARSERS)
    if (word === undefined) break
    const assignment = words.length === 0 ? ASSIGNMENT.exec(leadingText(word)) : null
    if (assignment !== null)
      assignments.push({ name: assignment[1]!, value: withoutPrefix(word, assignment[0].length) })
    else words.push(word)
    if (words.length === 1 && assignments.length + redirections.length === 0 && reader.operator() === '(')
      return parseFunction(reader, words[0]!)
  }
  if (words.length + assignments.length + redirections.length === 0) throw unexpected(reader)
  return { type: 'simple', assignments, words, redirections, line }
}

const parseIf = (reader: ScriptReader): IfCommand => {
  const branches: { condition: Script; body: Script }[] = []
  do {
    const condition = parseBlock(reader, 'then')
    branches.push({ condition, body: parseBlock(reader) })
  } while (takeKeyword(reader, 'elif'))
  const otherwise = takeKeyword(reader, 'else') ? parseBlock(reader) : undefined
  expect(reader, 'fi')
  return { type: 'if', branches, otherwise, redirections: parseRedirections(reader, PARSERS) }
}

/** A list that must not be empty, and the keyword after it. */
const parseBlock = (reader: ScriptReader, end?: string): Script => {
  const list = parseList(reader)
  if (list.length === 0) throw unexpected(reader, reader.isAtEnd ? end : undefined)
  if (end !== undefined) expect(reader, end)
  return list
}

const parseBody = (reader: ScriptReader): Script => {
  reader.skipNewlines()
  expect(reader, 'do')
  return parseBlock(reader, 'done')
}

const parseWords = (reader: ScriptReader): Word[] => {
  const words: Word[] = []
  for (let word = parseWord(reader, PARSERS); word !== undefined; word = parseWord(reader, PARSERS))
    words.push(word)
  return words
}

const parseFor = (reader: ScriptReader): Command => {
  const variable = bareText(parseWord(reader, PARSERS) ?? [])
  if (variable === undefined || !/^[A-Za-z_]\w*$/.test(variable)) throw reader.error('Bad for loop variable')
  reader.skipNewlines()
  const words = takeKeyword(reader, 'in') ? parseWords(reader) : undefined
  if (!reader.take(';') && reader.operator() !== '\n' && words !== undefined) throw unexpected(reader, 'do')
  const body = parseBody(reader)
  return { type: 'for', variable, words, body, redirections: parseRedirections(reader, PARSERS) }
}

const parseCase = (reader: ScriptReader): CaseCommand => {
  const word = parseWord(reader, PARSERS)
  if (word === undefined) throw unexpected(reader)
  reader.skipNewlines()
  expect(reader, 'in')
  reader.skipNewlines()
  const branches: { patterns: Word[]; body: Script }[] = []
  while (!takeKeyword(reader, 'esac')) {
    reader.take('(')
    const patterns: Word[] = []
    do {
      const pattern = parseWord(reader, PARSERS)
      if (pattern === undefined) throw unexpected(reader)
      patterns.push(pattern)
    } while (reader.take('|'))
    if (!reader.take(')')) throw unexpected(reader, ')')
    branches.push({ patterns, body: parseList(reader) })
    if (!reader.take(';;') && peekKeyword(reader) !== 'esac') throw unexpected(reader, ';;')
    reader.skipNewlines()
  }
  return { type: 'case', word, branches, redirections: parseRedirections(reader, PARSERS) }
}

const parseLoop = (reader: ScriptReader, type: 'while' | 'until'): Command => {
  const condition = parseBlock(reader)
  const body = parseBody(reader)
  return { type, condition, body, redirections: parseRedirections(reader, PARSERS) }
}

const parseCommand = (reader: ScriptReader): Command => {
  reader.skipBlanks()
  if (reader.startsWith('((')) throw new UnsupportedCommand('the command (( in a script')
  if (reader.take('(')) {
    const body = PARSERS.parseNested(reader, ')')
    return { type: 'subshell', body, redirections: parseRedirections(reader, PARSERS) }
  }
  const word = peekKeyword(reader)
  if (word !== undefined && UNSUPPORTED_WORDS.has(word)) throw new UnsupportedCommand(`${word} in a script`)
  if (takeKeyword(reader, 'if')) return parseIf(reader)
  if (takeKeyword(reader, 'for')) return parseFor(reader)
  if (takeKeyword(reader, 'case')) return parseCase(reader)
  if (takeKeyword(reader, 'while')) return parseLoop(reader, 'while')
  if (takeKeyword(reader, 'until')) return parseLoop(reader, 'until')
  if (takeKeyword(reader, '{')) {
    const body = parseBlock(reader, '}')
    return { type: 'group', body, redirections: parseRedirections(reader, PARSERS) }
  }
  return parseSimple(reader)
}

const parsePipeline = (reader: ScriptReader): Pipeline => {
  const isNegated = takeKeyword(reader, '!')
  const commands = [parseCommand(reader)]
  while (reader.take('|')) {
    reader.skipNewlines()
    commands.push(parseCommand(reader))
  }
  return { isNegated, commands }
}

const parseAndOr = (reader: ScriptReader): AndOr => {
  const first = parsePipeline(reader)
  const rest: { operator: '&&' | '||'; pipeline: Pipeline }[] = []
  for (;;) {
    const operator = reader.take('&&') ? '&&' : reader.take('||') ? '||' : undefined
    if (operator === undefined) return { first, rest, isBackground: reader.take('&') }
    reader.skipNewlines()
    rest.push({ operator, pipeline: parsePipeline(reader) })
  }
}

const isAtListEnd = (reader: ScriptReader): boolean => {
  const operator = reader.operator()
  return (
    reader.isAtEnd || operator === ')' || operator === ';;' || ENDING_WORDS.has(peekKeyword(reader) ?? '')
  )
}

/** The commands up to the end of the line. */
const parseLine = (reader: ScriptReader): AndOr[] => {
  const list: AndOr[] = []
  while (!isAtListEnd(reader)) {
    const andOr = parseAndOr(reader)
    list.push(andOr)
    if (reader.operator() === '\n') break
    if (!reader.take(';') && !andOr.isBackground && !isAtListEnd(reader)) throw unexpected(reader)
    if (reader.operator() === '\n') break
  }
  return list
}

const parseList = (reader: ScriptReader): Script => {
  const list: AndOr[] = []
  for (;;) {
    reader.skipNewlines()
    if (isAtListEnd(reader)) return list
    list.push(...parseLine(reader))
  }
}

export interface ParsedScript {
  /** The commands before the mistake, which run. */
  readonly script: Script
  readonly error?: ShellSyntaxError
}

/** A backslash at the end of a script stands for itself. */
const withLastNewline = (text: string): string => {
  if (text.endsWith('\n')) return text
  return /(?:^|[^\\])(?:\\\\)*\\$/.test(text) ? `${text}\\\n` : `${text}\n`
}

/** Throws UnsupportedCommand for a script that is not modelled. */
export const parseScript = (text: string): ParsedScript => {
  const reader = new ScriptReader(withLastNewline(text))
  const script: AndOr[] = []
  try {
    for (;;) {
      reader.skipNewlines()
      reader.skipBlanks()
      if (reader.isAtEnd) return { script }
      const line = parseLine(reader)
      if (reader.operator() !== '\n' && !reader.isAtEnd) throw unexpected(reader)
      // Reads the here-documents of the line.
      reader.take('\n')
      script.push(...line)
    }
  } catch (error) {
    if (error instanceof ShellSyntaxError) return { script, error }
    throw error
  }
}
