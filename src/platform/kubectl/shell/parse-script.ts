/** Parses a script for /bin/sh. Constructs that are not modelled are rejected, never ignored. */
import { UnsupportedCommand } from '#spec'
import { bareText, type NestedParsers, parseQuotedPart, parseWord, plainText } from './parse-word.ts'
import { ScriptReader, ShellSyntaxError } from './script-reader.ts'
import type {
  AndOr,
  Command,
  IfCommand,
  Pipeline,
  Redirection,
  Script,
  SimpleCommand,
  Word,
  WordPart,
} from './script-tree.ts'

const ASSIGNMENT = /^([A-Za-z_]\w*)=/
const ENDING_WORDS = new Set(['then', 'do', 'done', 'fi', 'else', 'elif', '}', 'esac'])
const UNSUPPORTED_WORDS = new Set(['case', 'function', 'select', '[[', 'time', 'coproc'])

const PARSERS: NestedParsers = {
  parseNested: (reader, end) => {
    const script = parseList(reader)
    if (!reader.take(end)) throw new ShellSyntaxError('Syntax error: expecting ")"')
    return script
  },
  parseText: (text) => parseScript(text),
}

/** The next word if it is not quoted, without taking it. */
const peekBare = (reader: ScriptReader): string | undefined => {
  const { position } = reader
  const word = parseWord(reader, PARSERS)
  reader.position = position
  return word === undefined ? undefined : bareText(word)
}

const takeBare = (reader: ScriptReader, text: string): boolean => {
  if (peekBare(reader) !== text) return false
  parseWord(reader, PARSERS)
  return true
}

const expect = (reader: ScriptReader, text: string): void => {
  if (!takeBare(reader, text)) throw new ShellSyntaxError(`Syntax error: expecting "${text}"`)
}

/** The text of a here-document. It is known only after the line that names it has been read. */
const documentWord = (text: string, isQuoted: boolean): Word => {
  if (isQuoted) return [{ type: 'text', text, isQuoted: true }]
  const reader = new ScriptReader(text)
  const parts: WordPart[] = []
  while (!reader.isAtEnd) parts.push(parseQuotedPart(reader, PARSERS))
  return parts
}

const parseDocument = (reader: ScriptReader, stripsTabs: boolean): Redirection => {
  const word = parseWord(reader, PARSERS)
  const delimiter = word === undefined ? undefined : plainText(word)
  if (word === undefined || delimiter === undefined)
    throw new UnsupportedCommand('a here-document without a plain delimiter')
  const isQuoted = bareText(word) === undefined
  const target: { input: Word } = { input: [] }
  reader.addDocument({
    delimiter,
    stripsTabs,
    accept(text) {
      target.input = documentWord(text, isQuoted)
    },
  })
  return { from: 0, to: target }
}

const REDIRECTION = /(\d?)(<<-|<<|>>|>&|<&|>\||<>|<|>)/y

const parseRedirection = (reader: ScriptReader): Redirection | undefined => {
  reader.skipBlanks()
  REDIRECTION.lastIndex = reader.position
  const found = REDIRECTION.exec(reader.text)
  if (found === null) return undefined
  const [whole, digit, operator] = found
  reader.position += whole.length
  if (operator === '<<' || operator === '<<-') return parseDocument(reader, operator === '<<-')
  const from = digit === '' ? (operator!.startsWith('<') ? 0 : 1) : Number(digit)
  const word = parseWord(reader, PARSERS)
  const target = word === undefined ? undefined : plainText(word)
  if (operator === '>&' && target !== undefined && /^[12]$/.test(target))
    return { from, to: { descriptor: Number(target) } }
  if ((operator === '>' || operator === '>>') && target === '/dev/null') return { from, to: 'discard' }
  if (operator === '<' && target === '/dev/null') return { from: 0, to: { input: [] } }
  throw new UnsupportedCommand(`the redirection ${whole}${target ?? ''}`)
}

const parseRedirections = (reader: ScriptReader): Redirection[] => {
  const redirections: Redirection[] = []
  for (let found = parseRedirection(reader); found !== undefined; found = parseRedirection(reader))
    redirections.push(found)
  return redirections
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

const parseSimple = (reader: ScriptReader): SimpleCommand => {
  const assignments: { name: string; value: Word }[] = []
  const words: Word[] = []
  const redirections: Redirection[] = []
  for (;;) {
    const redirection = parseRedirection(reader)
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
  }
  if (reader.operator() === '(' && words.length === 1) throw new UnsupportedCommand('a function in a script')
  return { type: 'simple', assignments, words, redirections }
}

const parseIf = (reader: ScriptReader): IfCommand => {
  const branches: { condition: Script; body: Script }[] = []
  do {
    const condition = parseList(reader)
    expect(reader, 'then')
    branches.push({ condition, body: parseList(reader) })
  } while (takeBare(reader, 'elif'))
  const otherwise = takeBare(reader, 'else') ? parseList(reader) : undefined
  expect(reader, 'fi')
  return { type: 'if', branches, otherwise, redirections: parseRedirections(reader) }
}

const parseBody = (reader: ScriptReader): Script => {
  expect(reader, 'do')
  const body = parseList(reader)
  expect(reader, 'done')
  return body
}

const parseFor = (reader: ScriptReader): Command => {
  const variable = bareText(parseWord(reader, PARSERS) ?? [])
  if (variable === undefined || !/^[A-Za-z_]\w*$/.test(variable))
    throw new ShellSyntaxError('Syntax error: Bad for loop variable')
  reader.skipNewlines()
  if (!takeBare(reader, 'in')) throw new UnsupportedCommand('a for loop without words')
  const words: Word[] = []
  for (let word = parseWord(reader, PARSERS); word !== undefined; word = parseWord(reader, PARSERS))
    words.push(word)
  if (!reader.take(';') && !reader.take('\n')) throw new ShellSyntaxError('Syntax error: expecting "do"')
  reader.skipNewlines()
  const body = parseBody(reader)
  return { type: 'for', variable, words, body, redirections: parseRedirections(reader) }
}

const parseLoop = (reader: ScriptReader, type: 'while' | 'until'): Command => {
  const condition = parseList(reader)
  const body = parseBody(reader)
  return { type, condition, body, redirections: parseRedirections(reader) }
}

const parseCommand = (reader: ScriptReader): Command => {
  if (reader.startsWith('((')) throw new UnsupportedCommand('arithmetic in a script')
  if (reader.take('(')) {
    const body = PARSERS.parseNested(reader, ')')
    return { type: 'subshell', body, redirections: parseRedirections(reader) }
  }
  const word = peekBare(reader)
  if (word !== undefined && UNSUPPORTED_WORDS.has(word)) throw new UnsupportedCommand(`${word} in a script`)
  if (takeBare(reader, 'if')) return parseIf(reader)
  if (takeBare(reader, 'for')) return parseFor(reader)
  if (takeBare(reader, 'while')) return parseLoop(reader, 'while')
  if (takeBare(reader, 'until')) return parseLoop(reader, 'until')
  if (takeBare(reader, '{')) {
    const body = parseList(reader)
    expect(reader, '}')
    return { type: 'group', body, redirections: parseRedirections(reader) }
  }
  const command = parseSimple(reader)
  if (command.words.length === 0 && command.assignments.length === 0 && command.redirections.length === 0)
    throw new ShellSyntaxError('Syntax error: unexpected end of command')
  return command
}

const parsePipeline = (reader: ScriptReader): Pipeline => {
  const isNegated = takeBare(reader, '!')
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
    if (operator === undefined) return { first, rest }
    reader.skipNewlines()
    rest.push({ operator, pipeline: parsePipeline(reader) })
  }
}

const parseList = (reader: ScriptReader): Script => {
  const list: AndOr[] = []
  for (;;) {
    reader.skipNewlines()
    const operator = reader.operator()
    if (reader.isAtEnd || operator === ')' || ENDING_WORDS.has(peekBare(reader) ?? '')) return list
    list.push(parseAndOr(reader))
    if (reader.operator() === '&') throw new UnsupportedCommand('a command in the background')
    if (!reader.take(';') && reader.operator() !== '\n') {
      reader.skipBlanks()
      if (reader.isAtEnd || reader.operator() === ')' || ENDING_WORDS.has(peekBare(reader) ?? '')) return list
      throw new ShellSyntaxError('Syntax error: unexpected word')
    }
  }
}

/** Throws a ShellSyntaxError for an invalid script, and UnsupportedCommand for one that is not modelled. */
export const parseScript = (text: string): Script => {
  const reader = new ScriptReader(text.endsWith('\n') ? text : `${text}\n`)
  const script = parseList(reader)
  reader.skipBlanks()
  if (!reader.isAtEnd) throw new ShellSyntaxError('Syntax error: unexpected word')
  return script
}
