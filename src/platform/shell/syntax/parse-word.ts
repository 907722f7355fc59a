/** Parses one word of a script: quotes, parameters and command substitutions. */
import { UnsupportedCommand } from '#spec'
import { OPERATORS, parseLength, readName, readParameter, SPECIAL } from './parameter-name.ts'
import type { ScriptReader } from './script-reader.ts'
import type { Script, Word, WordPart } from './script-tree.ts'

/** Parses the script of a substitution up to its closing bracket. */
export type ParseNested = (reader: ScriptReader, end: ')') => Script

/** Parses the script of a substitution in backticks. */
export type ParseText = (text: string) => Script

export interface NestedParsers {
  readonly parseNested: ParseNested
  readonly parseText: ParseText
}

const ENDS = /[\s;&|<>()]/

const parseOperand = (
  reader: ScriptReader,
  isQuoted: boolean,
  isPattern: boolean,
  parsers: NestedParsers,
): WordPart[] => {
  const operand: WordPart[] = []
  while (reader.peek() !== '}') {
    if (reader.isAtEnd) throw reader.error("Missing '}'")
    // Quotation marks in a pattern quote even inside of double quotes.
    const quotes = isPattern ? reader.peek() === '"' || reader.peek() === "'" : reader.peek() === '"'
    if (isQuoted && quotes) operand.push(...parsePart(reader, false, parsers))
    else if (isQuoted && isPattern && reader.peek() !== '$' && reader.peek() !== '`')
      operand.push(...parsePart(reader, false, parsers))
    else operand.push(...parsePart(reader, isQuoted, parsers))
  }
  return operand
}

const parseBraces = (reader: ScriptReader, isQuoted: boolean, parsers: NestedParsers): WordPart => {
  const length = parseLength(reader, isQuoted)
  if (length !== undefined) return length
  const name = readParameter(reader)
  if (name === undefined) throw reader.error('Bad substitution')
  if (reader.peek() === '}') {
    reader.position += 1
    return { type: 'parameter', name, isQuoted }
  }
  const operator = OPERATORS.find((each) => reader.startsWith(each))
  if (operator === undefined && /^\s*$/.test(reader.text.slice(reader.position)))
    throw reader.error("Missing '}'")
  if (operator === undefined) throw new UnsupportedCommand(`an expansion of \${${name}...} in a script`)
  reader.position += operator.length
  const operand = parseOperand(reader, isQuoted, /[#%]/.test(operator), parsers)
  reader.position += 1
  return { type: 'parameter', name, isQuoted, operator, operand }
}

const parseArithmetic = (reader: ScriptReader, isQuoted: boolean, parsers: NestedParsers): WordPart => {
  reader.position += 2
  const expression: WordPart[] = []
  for (let depth = 0; depth > 0 || !reader.startsWith('))'); ) {
    if (reader.isAtEnd) throw reader.error("Missing '))'")
    if (reader.peek() === '(') depth += 1
    if (reader.peek() === ')') depth -= 1
    if (reader.peek() === '"') reader.position += 1
    else expression.push(parseQuotedPart(reader, parsers))
  }
  reader.position += 2
  return { type: 'arithmetic', expression, isQuoted }
}

const parseDollar = (reader: ScriptReader, isQuoted: boolean, parsers: NestedParsers): WordPart => {
  reader.position += 1
  if (reader.startsWith('((')) return parseArithmetic(reader, isQuoted, parsers)
  if (reader.peek() === '(') {
    reader.position += 1
    return { type: 'substitution', script: parsers.parseNested(reader, ')'), isQuoted }
  }
  if (reader.peek() === '{') {
    reader.position += 1
    return parseBraces(reader, isQuoted, parsers)
  }
  if (SPECIAL.has(reader.peek()) || /\d/.test(reader.peek())) {
    const name = reader.peek()
    reader.position += 1
    return { type: 'parameter', name, isQuoted }
  }
  if (!isQuoted && (reader.peek() === "'" || reader.peek() === '"'))
    throw new UnsupportedCommand('a quotation of the form $"..." in a script')
  const name = readName(reader)
  return name === undefined ? { type: 'text', text: '$', isQuoted } : { type: 'parameter', name, isQuoted }
}

const parseBackticks = (reader: ScriptReader, isQuoted: boolean, parsers: NestedParsers): WordPart => {
  reader.position += 1
  let text = ''
  while (reader.peek() !== '`') {
    if (reader.isAtEnd) throw reader.error('EOF in backquote substitution')
    if (reader.peek() === '\\' && '$`\\'.includes(reader.peek(1))) reader.position += 1
    text += reader.peek()
    reader.position += 1
  }
  reader.position += 1
  return { type: 'substitution', script: parsers.parseText(text), isQuoted }
}

/** A part inside double quotes, or of a here-document. */
export const parseQuotedPart = (reader: ScriptReader, parsers: NestedParsers): WordPart => {
  const character = reader.peek()
  if (character === '$') return parseDollar(reader, true, parsers)
  if (character === '`') return parseBackticks(reader, true, parsers)
  reader.position += 1
  if (character !== '\\') return { type: 'text', text: character, isQuoted: true }
  const next = reader.peek()
  reader.position += 1
  if (next === '\n') return { type: 'text', text: '', isQuoted: true }
  return { type: 'text', text: '$`"\\'.includes(next) && next !== '' ? next : `\\${next}`, isQuoted: true }
}

const parseDoubleQuotes = (reader: ScriptReader, parsers: NestedParsers): WordPart[] => {
  reader.position += 1
  // An empty part keeps "" as a word of its own.
  const parts: WordPart[] = [{ type: 'text', text: '', isQuoted: true }]
  while (reader.peek() !== '"') {
    if (reader.isAtEnd) throw reader.error('Unterminated quoted string')
    parts.push(parseQuotedPart(reader, parsers))
  }
  reader.position += 1
  return parts
}

const parsePart = (reader: ScriptReader, isQuoted: boolean, parsers: NestedParsers): WordPart[] => {
  if (isQuoted) return [parseQuotedPart(reader, parsers)]
  const character = reader.peek()
  if (character === '"') return parseDoubleQuotes(reader, parsers)
  if (character === "'") {
    const end = reader.text.indexOf("'", reader.position + 1)
    if (end < 0) throw reader.error('Unterminated quoted string')
    const text = reader.text.slice(reader.position + 1, end)
    reader.position = end + 1
    return [{ type: 'text', text, isQuoted: true }]
  }
  if (character === '$') return [parseDollar(reader, false, parsers)]
  if (character === '`') return [parseBackticks(reader, false, parsers)]
  if (character === '\\') {
    const text = reader.peek(1)
    reader.position += 2
    return text === '\n' ? [] : [{ type: 'text', text, isQuoted: true }]
  }
  reader.position += 1
  return [{ type: 'text', text: character, isQuoted: false }]
}

/** Returns undefined if no word begins at the position. */
export const parseWord = (reader: ScriptReader, parsers: NestedParsers): Word | undefined => {
  reader.skipBlanks()
  const parts: WordPart[] = []
  while (!reader.isAtEnd && !ENDS.test(reader.peek())) {
    if (reader.startsWith('\\\n')) {
      reader.position += 2
      continue
    }
    parts.push(...parsePart(reader, false, parsers))
  }
  return parts.length === 0 ? undefined : parts
}
