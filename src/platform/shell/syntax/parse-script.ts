/** Parses a script for /bin/sh. Constructs that are not modelled are refused, never ignored. */
import { UnsupportedCommand } from '#spec'
import { ENDING_WORDS, peekKeyword, takeKeyword, unexpected } from './keywords.ts'
import { parseCompound } from './parse-compound.ts'
import { parseRedirection, parseRedirections } from './parse-redirection.ts'
import { parseWord } from './parse-word.ts'
import { ScriptReader, ShellSyntaxError } from './script-reader.ts'
import type { AndOr, Command, Pipeline, Script, Word } from './script-tree.ts'
import { type Assignment, toAssignment } from './to-assignment.ts'
import { bareText } from './word-text.ts'

const UNSUPPORTED_WORDS = new Set(['function', 'select', '[[', 'time', 'coproc'])

const PARSERS = {
  parseNested: (reader: ScriptReader, end: ')'): Script => {
    const script = parseList(reader)
    if (!reader.take(end)) throw unexpected(reader, end)
    return script
  },
  parseText: (text: string): Script => {
    const { script, error } = parseScript(text)
    if (error !== undefined) throw error
    return script
  },
  parseList: (reader: ScriptReader): Script => parseList(reader),
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
  const assignments: Assignment[] = []
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
    const assignment = words.length === 0 ? toAssignment(word) : undefined
    if (assignment !== undefined) assignments.push(assignment)
    else words.push(word)
    if (words.length === 1 && assignments.length + redirections.length === 0 && reader.operator() === '(')
      return parseFunction(reader, words[0]!)
  }
  if (words.length + assignments.length + redirections.length === 0) throw unexpected(reader)
  return { type: 'simple', assignments, words, redirections, line }
}

const parseCommand = (reader: ScriptReader): Command => {
  reader.skipBlanks()
  if (reader.startsWith('((')) throw new UnsupportedCommand('the command (( in a script')
  const word = peekKeyword(reader)
  if (word !== undefined && UNSUPPORTED_WORDS.has(word)) throw new UnsupportedCommand(`${word} in a script`)
  return parseCompound(reader, PARSERS) ?? parseSimple(reader)
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
