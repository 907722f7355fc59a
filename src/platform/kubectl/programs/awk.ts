/** A subset of awk: one rule that prints fields of the lines that satisfy a condition. */
import { linearPattern, PatternError } from '#kit'
import { UnsupportedCommand } from '#spec'
import type { Program } from '../command-context.ts'

interface Line {
  readonly text: string
  readonly fields: readonly string[]
  readonly number: number
}

type Test = (line: Line) => boolean
type Value = (line: Line) => string

const RULE = /^\s*([^{}]*?)\s*(?:\{\s*print(?:\s+([^{};]*?))?\s*;?\s*\})?\s*$/
const VALUE = /\s*(?:(\$(?:\d+|NF))|"((?:[^"\\]|\\[nt"\\])*)"|(NR|NF)\b|(\d+)|(,))/y
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', '"': '"', '\\': '\\' }

const refuse = (program: string): UnsupportedCommand => new UnsupportedCommand(`awk '${program}'`)

const decodeEscapes = (text: string): string =>
  text.replaceAll(/\\(.)/g, (_, character: string) => ESCAPES[character]!)

const fieldValue = (name: string): Value => {
  if (name === '$0') return ({ text }) => text
  if (name === '$NF') return ({ fields, text }) => (fields.length === 0 ? text : fields.at(-1)!)
  const index = Number(name.slice(1)) - 1
  return ({ fields }) => fields[index] ?? ''
}

const counterValue = (name: string): Value =>
  name === 'NR' ? ({ number }) => String(number) : ({ fields }) => String(fields.length)

/** Adjacent values are concatenated; commas separate them by a space. */
const parseValues = (text: string, program: string): Value => {
  const values: Value[] = []
  VALUE.lastIndex = 0
  while (VALUE.lastIndex < text.trimEnd().length) {
    const found = VALUE.exec(text)
    if (found === null) throw refuse(program)
    const [, field, literal, counter, number, comma] = found
    if (field !== undefined) values.push(fieldValue(field))
    else if (literal !== undefined) values.push(() => decodeEscapes(literal))
    else if (counter !== undefined) values.push(counterValue(counter))
    else if (number !== undefined) values.push(() => number)
    else if (comma !== undefined) values.push(() => ' ')
  }
  return (line) => values.map((value) => value(line)).join('')
}

const compilePattern = (source: string, program: string): Test => {
  try {
    const pattern = linearPattern(source)
    return ({ text }) => pattern.test(text)
  } catch (error) {
    if (error instanceof PatternError) throw refuse(program)
    throw error
  }
}

const COMPARE: Readonly<Record<string, (order: number) => boolean>> = {
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

const isNumber = (text: string): boolean => /^\s*[-+]?\d+(?:\.\d+)?\s*$/.test(text)

const parseTest = (text: string, program: string): Test => {
  const pattern = /^(!?)\/((?:[^/\\]|\\.)*)\/$/.exec(text)
  if (pattern !== null) {
    const test = compilePattern(pattern[2]!.replaceAll('\\/', '/'), program)
    return pattern[1] === '!' ? (line) => !test(line) : test
  }
  const comparison =
    /^(\$(?:\d+|NF)|NR|NF)\s*(==|!=|<=|>=|<|>|~|!~)\s*(?:"((?:[^"\\])*)"|(\d+)|\/((?:[^/\\]|\\.)*)\/)$/.exec(
      text,
    )
  if (comparison === null) throw refuse(program)
  const [, name, operator, literal, number, source] = comparison
  const value = name!.startsWith('$') ? fieldValue(name!) : counterValue(name!)
  if (operator === '~' || operator === '!~') {
    const test = compilePattern(source ?? literal ?? '', program)
    return (line) => test({ ...line, text: value(line) }) === (operator === '~')
  }
  if (source !== undefined) throw refuse(program)
  const holds = COMPARE[operator!]!
  const right = literal ?? number!
  return (line) => {
    const left = value(line)
    // A field that looks like a number is compared as a number, unless the other side is a string.
    const order =
      literal === undefined && (isNumber(left) || left === '')
        ? Number(left) - Number(right)
        : left < right
          ? -1
          : Number(left > right)
    return holds(order)
  }
}

const parseCondition = (text: string, program: string): Test => {
  if (text === '') return () => true
  const alternatives = text
    .split('||')
    .map((alternative) => alternative.split('&&').map((part) => parseTest(part.trim(), program)))
  return (line) => alternatives.some((tests) => tests.every((test) => test(line)))
}

const parseArguments = (args: readonly string[]): { separator: string | undefined; program: string } => {
  const [first, second, third] = args
  if (first === '-F' && second !== undefined && args.length === 3)
    return { separator: second, program: third! }
  if (first?.startsWith('-F') && args.length === 2) return { separator: first.slice(2), program: second! }
  if (args.length === 1 && !first!.startsWith('-')) return { separator: undefined, program: first! }
  throw new UnsupportedCommand(`awk ${args.join(' ')}`)
}

const splitFields = (text: string, separator: string | undefined): string[] => {
  if (separator !== undefined) return text === '' ? [] : text.split(separator)
  return text.split(/[ \t]+/).filter((field) => field !== '')
}

export const awk: Program = async ({ args, stdin, out }) => {
  const { separator, program } = parseArguments(args)
  if (separator !== undefined && !/^[^\s\\.*+?^${}()|[\]]$/.test(separator)) throw refuse(`-F ${separator}`)
  const [, condition, values] = RULE.exec(program) ?? []
  if (condition === undefined || (condition === '' && !program.includes('{'))) throw refuse(program)
  if (/\b(?:BEGIN|END)\b/.test(condition)) throw refuse(program)
  const test = parseCondition(condition, program)
  const print = parseValues(values ?? '$0', program)
  const lines = stdin.split('\n')
  if (lines.at(-1) === '') lines.pop()
  for (const [index, text] of lines.entries()) {
    const line = { text, fields: splitFields(text, separator), number: index + 1 }
    if (test(line)) out(`${print(line)}\n`)
  }
  return 0
}
