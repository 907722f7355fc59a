/** grep, egrep and fgrep. */

import { posix } from 'node:path'
import type { LinearPattern } from '#kit'
import { parseOptions } from '../parse-options.ts'
import type { PodProgram, PodProgramCall } from '../pod-program.ts'
import { ProgramFailure } from '../pod-program.ts'
import { splitLines } from './lines.ts'
import { compileExpression, escapePattern, fromBasic } from './regular-expression.ts'

type Options = ReadonlyMap<string, string | true>

const compile = (call: PodProgramCall, options: Options, pattern: string): LinearPattern => {
  const sources = pattern.split('\n').map((each) => {
    if (options.has('F')) return escapePattern(each)
    return options.has('E') ? each : fromBasic(each)
  })
  let source = sources.length === 1 ? sources[0]! : sources.map((each) => `(?:${each})`).join('|')
  if (options.has('w')) source = `\\b(?:${source})\\b`
  if (options.has('x')) source = `^(?:${source})$`
  return compileExpression(call, options.has('i') ? `(?i)${source}` : source)
}

const printMatches = (call: PodProgramCall, pattern: LinearPattern, line: string, prefix: string): void => {
  for (let at = pattern.find(line); at !== undefined; at = pattern.find(line, Math.max(at[1], at[0] + 1))) {
    if (at[1] > at[0]) call.out(`${prefix}${line.slice(at[0], at[1])}\n`)
    if (at[1] >= line.length) return
  }
}

/** Returns whether a line was selected. */
const search = (
  call: PodProgramCall,
  options: Options,
  pattern: LinearPattern,
  text: string,
  label: string,
): boolean => {
  const limit = Number(options.get('m') ?? Number.POSITIVE_INFINITY)
  const found = splitLines(text)
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => pattern.test(line) !== options.has('v'))
    .slice(0, limit)
  if (options.has('q')) return found.length > 0
  if (options.has('l')) {
    if (found.length > 0) call.out(`${label.slice(0, -1)}\n`)
  } else if (options.has('c')) call.out(`${label}${found.length}\n`)
  else
    for (const { line, number } of found) {
      const prefix = `${label}${options.has('n') ? `${number}:` : ''}`
      if (!options.has('o')) call.out(`${prefix}${line}\n`)
      else if (!options.has('v')) printMatches(call, pattern, line, prefix)
    }
  return found.length > 0
}

const listFiles = (call: PodProgramCall, path: string): string[] => {
  if (call.files.statusOf(call.resolve(path))?.type !== 'folder') return [path]
  return call.files.list(call.resolve(path)).flatMap((name) => listFiles(call, posix.join(path, name)))
}

const grepWith =
  (mode: '' | 'E' | 'F'): PodProgram =>
  (call) => {
    const parsed = parseOptions(call, {
      flags: 'viEFqcownxhHslrR',
      values: 'em',
      long: { 'ignore-case': 'i', count: 'c', quiet: 'q' },
    })
    const options = new Map(parsed.options)
    if (mode !== '') options.set(mode, true)
    const given = options.get('e') as string | undefined
    const operands = [...parsed.operands]
    const pattern = given ?? operands.shift()
    if (pattern === undefined || call.args.filter((arg) => arg === '-e').length > 1) call.refuse()
    const compiled = compile(call, options, pattern ?? '')
    const isDeep = options.has('r') || options.has('R')
    const roots = operands.length === 0 ? [isDeep ? '.' : '-'] : operands
    const paths = isDeep ? roots.flatMap((root) => listFiles(call, root)) : roots
    const isNamed = (paths.length > 1 || isDeep || options.has('H')) && !options.has('h')
    let isFound = false
    let hasFailed = false
    for (const path of paths) {
      try {
        const label = isNamed || options.has('l') ? `${path === '-' ? '(standard input)' : path}:` : ''
        isFound = search(call, options, compiled, call.readText(path), label) || isFound
      } catch (error) {
        if (!(error instanceof ProgramFailure)) throw error
        if (!options.has('s')) call.complain(error.message)
        hasFailed = true
      }
    }
    if (isFound && options.has('q')) return 0
    return hasFailed ? 2 : Number(!isFound)
  }

export const grepPrograms: Readonly<Record<string, PodProgram>> = {
  grep: grepWith(''),
  egrep: grepWith('E'),
  fgrep: grepWith('F'),
}
