/** Reads a regular expression in Go's notation. */
import {
  bracketClass,
  type CharacterTest,
  escapedCharacter,
  escapedClass,
  foldCase,
  not,
  range,
} from './character-class.ts'
import { createPatternSource, PatternError, type PatternSource } from './pattern-source.ts'

export type Assertion = 'start' | 'end' | 'line-start' | 'line-end' | 'word' | 'no-word'

export type PatternNode =
  | { type: 'character'; test: CharacterTest }
  | { type: 'assertion'; assertion: Assertion }
  | { type: 'sequence'; parts: readonly PatternNode[] }
  | { type: 'choice'; parts: readonly PatternNode[] }
  | { type: 'repeat'; part: PatternNode; least: number; most: number; greedy: boolean }

interface Flags {
  readonly i: boolean
  readonly m: boolean
  readonly s: boolean
  readonly U: boolean
}

const NO_FLAGS: Flags = { i: false, m: false, s: false, U: false }
const MOST_REPEATS = 1000
const DEEPEST = 1000
const NEWLINE = range(10, 10)
const REPEAT = /^\{(\d+)(?:(,)(\d*))?\}/

const literal = (code: number, { i }: Flags): PatternNode => {
  const test = range(code, code)
  return { type: 'character', test: i ? foldCase(test) : test }
}

const escaped = (source: PatternSource, flags: Flags): PatternNode => {
  if (source.take('A')) return { type: 'assertion', assertion: 'start' }
  if (source.take('z')) return { type: 'assertion', assertion: 'end' }
  if (source.take('b')) return { type: 'assertion', assertion: 'word' }
  if (source.take('B')) return { type: 'assertion', assertion: 'no-word' }
  if (source.take('Q')) return quotation(source, flags)
  const test = escapedClass(source)
  if (test !== undefined) return { type: 'character', test: flags.i ? foldCase(test) : test }
  return literal(escapedCharacter(source), flags)
}

const quotation = (source: PatternSource, flags: Flags): PatternNode => {
  const parts: PatternNode[] = []
  while (source.at < source.length && !source.take('\\E'))
    parts.push(literal(source.next().codePointAt(0)!, flags))
  return { type: 'sequence', parts }
}

/** What begins a group: nothing special, a name, or flags; `only` where the flags stand for themselves. */
const groupHead = (source: PatternSource, flags: Flags): { flags: Flags; only: boolean } => {
  const from = source.at - 1
  if (!source.take('?')) return { flags, only: false }
  const rest = source.slice(source.at, source.length)
  const name = /^P?<(\w+)>/.exec(rest)
  if (name !== null) {
    source.at += name[0].length
    return { flags, only: false }
  }
  const change = /^([imsU]*)(-[imsU]+)?([:)])/.exec(rest)
  if (change === null)
    throw new PatternError('invalid or unsupported Perl syntax', source.slice(from, source.at + 1))
  source.at += change[0].length
  const changed: Record<string, boolean> = { ...flags }
  for (const flag of change[1]!) changed[flag] = true
  for (const flag of (change[2] ?? '').slice(1)) changed[flag] = false
  return { flags: changed as unknown as Flags, only: change[3] === ')' }
}

const repeatCounts = (source: PatternSource): [least: number, most: number] | undefined => {
  const from = source.at
  if (source.take('*')) return [0, Number.POSITIVE_INFINITY]
  if (source.take('+')) return [1, Number.POSITIVE_INFINITY]
  if (source.take('?')) return [0, 1]
  const found = REPEAT.exec(source.slice(from, source.length))
  if (found === null) return undefined
  source.at += found[0].length
  const least = Number(found[1])
  const most = found[2] === undefined ? least : found[3] === '' ? Number.POSITIVE_INFINITY : Number(found[3])
  const largest = most === Number.POSITIVE_INFINITY ? least : most
  if (largest > MOST_REPEATS || least > largest) throw new PatternError('invalid repeat count', found[0])
  return [least, most]
}

const repeated = (source: PatternSource, part: PatternNode, flags: Flags): PatternNode => {
  const from = source.at
  const counts = repeatCounts(source)
  if (counts === undefined) return part
  const greedy = source.take('?') === flags.U
  if (repeatCounts(source) !== undefined)
    throw new PatternError('invalid nested repetition operator', source.slice(from))
  return { type: 'repeat', part, least: counts[0], most: counts[1], greedy }
}

const single = (source: PatternSource, flags: Flags): PatternNode => {
  const from = source.at
  if (repeatCounts(source) !== undefined)
    throw new PatternError('missing argument to repetition operator', source.slice(from))
  const character = source.next()
  switch (character) {
    case '.':
      return { type: 'character', test: flags.s ? () => true : not(NEWLINE) }
    case '^':
      return { type: 'assertion', assertion: flags.m ? 'line-start' : 'start' }
    case '$':
      return { type: 'assertion', assertion: flags.m ? 'line-end' : 'end' }
    case '[': {
      const test = bracketClass(source)
      return { type: 'character', test: flags.i ? foldCase(test) : test }
    }
    case '\\':
      return escaped(source, flags)
    default:
      return literal(character.codePointAt(0)!, flags)
  }
}

const group = (source: PatternSource, flags: Flags, depth: number): PatternNode => {
  const inner = choice(source, flags, depth)
  if (!source.take(')')) throw new PatternError('missing closing )', source.slice(0, source.length))
  return inner
}

/** Alternatives up to the end of the group. */
const choice = (source: PatternSource, outer: Flags, depth: number): PatternNode => {
  if (depth > DEEPEST) throw new PatternError('expression nests too deeply', source.slice(0, source.length))
  let flags = outer
  const alternatives: PatternNode[] = []
  let parts: PatternNode[] = []
  while (source.at < source.length && source.peek() !== ')') {
    if (source.take('|')) {
      alternatives.push({ type: 'sequence', parts })
      parts = []
    } else if (source.take('(')) {
      const head = groupHead(source, flags)
      // Flags that stand for themselves hold from there to the end of the group.
      if (head.only) flags = head.flags
      else parts.push(repeated(source, group(source, head.flags, depth + 1), flags))
    } else parts.push(repeated(source, single(source, flags), flags))
  }
  alternatives.push({ type: 'sequence', parts })
  return alternatives.length === 1 ? alternatives[0]! : { type: 'choice', parts: alternatives }
}

/** Throws PatternError in the words of Go's parser. */
export const parsePattern = (pattern: string): PatternNode => {
  const source = createPatternSource(pattern)
  const node = choice(source, NO_FLAGS, 0)
  if (source.at < source.length) throw new PatternError('unexpected )', pattern)
  return node
}
