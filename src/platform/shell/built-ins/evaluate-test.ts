/** The program `test`, also called `[`. */
import { posix } from 'node:path'
import { type ProgramFiles, UnsupportedCommand } from '#spec'

/** A mistake in the expression, for which `test` exits with 2. */
export class TestError extends Error {}

export interface TestSurroundings {
  /** Files are not modelled without it. */
  readonly files?: ProgramFiles | undefined
  readonly folder: string
}

const toInteger = (text: string): bigint => {
  if (!/^\s*[-+]?\d+\s*$/.test(text)) throw new TestError(`Illegal number: ${text}`)
  return BigInt(text.trim().replace(/^\+/, ''))
}

const BINARY: Readonly<Record<string, (a: string, b: string) => boolean>> = {
  '=': (a, b) => a === b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
  '-eq': (a, b) => toInteger(a) === toInteger(b),
  '-ne': (a, b) => toInteger(a) !== toInteger(b),
  '-lt': (a, b) => toInteger(a) < toInteger(b),
  '-le': (a, b) => toInteger(a) <= toInteger(b),
  '-gt': (a, b) => toInteger(a) > toInteger(b),
  '-ge': (a, b) => toInteger(a) >= toInteger(b),
}

const UNSUPPORTED_BINARY = new Set(['-nt', '-ot', '-ef'])
const UNARY = /^-[a-hknpr-uwxzLOGSN]$/

const testFile = (operator: string, path: string, { files, folder }: TestSurroundings): boolean => {
  if (files === undefined) throw new UnsupportedCommand(`test ${operator} ${path}`)
  const status = path === '' ? undefined : files.statusOf(posix.resolve(folder, path))
  switch (operator) {
    case '-e':
    case '-a':
    case '-r':
    case '-w':
      return status !== undefined
    case '-f':
      return status?.type === 'file' && !path.startsWith('/dev/')
    case '-d':
      return status?.type === 'folder'
    case '-s':
      return status !== undefined && (status.type === 'folder' || status.bytes > 0)
    case '-c':
      return /^\/dev\/(?:null|zero|u?random)$/.test(path)
    case '-h':
    case '-L':
    case '-b':
    case '-p':
    case '-S':
      return false
    default:
      throw new UnsupportedCommand(`test ${operator}`)
  }
}

const testUnary = (operator: string, operand: string, surroundings: TestSurroundings): boolean => {
  if (operator === '-n') return operand !== ''
  if (operator === '-z') return operand === ''
  // Programs in pods have no terminal.
  if (operator === '-t') return false
  return testFile(operator, operand, surroundings)
}

const isBinary = (word: string | undefined): boolean =>
  word !== undefined && (Object.hasOwn(BINARY, word) || UNSUPPORTED_BINARY.has(word))

/** Throws a TestError for a wrong expression, and UnsupportedCommand for one that is not modelled. */
export const evaluateTest = (words: readonly string[], surroundings: TestSurroundings): boolean => {
  let at = 0
  const primary = (): boolean => {
    const word = words[at]
    if (word === undefined) throw new TestError('argument expected')
    if (isBinary(words[at + 1]) && at + 2 < words.length) {
      const operator = words[at + 1]!
      const right = words[at + 2]!
      at += 3
      if (UNSUPPORTED_BINARY.has(operator)) throw new UnsupportedCommand(`test ${operator}`)
      return BINARY[operator]!(word, right)
    }
    if (word === '!' && at + 1 < words.length) {
      at += 1
      return !primary()
    }
    if (word === '(' && at + 1 < words.length) {
      at += 1
      const value = or()
      if (words[at] !== ')') throw new TestError('closing paren expected')
      at += 1
      return value
    }
    if (UNARY.test(word) && at + 1 < words.length) {
      at += 2
      return testUnary(word, words[at - 1]!, surroundings)
    }
    at += 1
    return word !== ''
  }
  const and = (): boolean => {
    let value = primary()
    while (words[at] === '-a') {
      at += 1
      const next = primary()
      value = value && next
    }
    return value
  }
  const or = (): boolean => {
    let value = and()
    while (words[at] === '-o') {
      at += 1
      const next = and()
      value = value || next
    }
    return value
  }
  if (words.length === 0) return false
  const value = or()
  if (at < words.length) throw new TestError(`${words[at]}: unexpected operator`)
  return value
}
