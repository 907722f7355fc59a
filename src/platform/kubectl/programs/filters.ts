/** Programs that read lines and write some of them: cat, grep, head, tail, wc, sort, uniq, cut, tr and awk. */
import { type LinearPattern, linearPattern, PatternError } from '#kit'
import { UnsupportedCommand } from '#spec'
import type { Program } from '../command-context.ts'
import { awk } from './awk.ts'

export const splitLines = (text: string): string[] => {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

const joinLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

/** Only standard input is modelled. */
const refuseFiles = (program: string, files: readonly string[]): void => {
  const file = files.find((each) => each !== '-')
  if (file !== undefined) throw new UnsupportedCommand(`${program} with the file ${file}`)
}

const cat: Program = async ({ args, stdin, out }) => {
  refuseFiles('cat', args)
  out(stdin)
  return 0
}

/** Translates a basic regular expression, in which the roles of plain and escaped operators are exchanged. */
const fromBasic = (pattern: string): string =>
  pattern.replaceAll(/\\?[+?|(){}]|\\./g, (part) => {
    if (/^[+?|(){}]$/.test(part)) return `\\${part}`
    return /^\\[+?|(){}]$/.test(part) ? part.slice(1) : part
  })

const escapeAll = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

interface GrepFlags {
  readonly flags: ReadonlySet<string>
  readonly pattern: string
  readonly limit: number
}

const parseGrep = (args: readonly string[]): GrepFlags => {
  const flags = new Set<string>()
  const patterns: string[] = []
  const rest: string[] = []
  let limit = Number.POSITIVE_INFINITY
  const left = [...args]
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    if (arg === '-e') patterns.push(left.shift() ?? '')
    else if (arg === '-m') limit = Number(left.shift())
    else if (/^-[viEFqcownxh]+$/.test(arg)) for (const flag of arg.slice(1)) flags.add(flag)
    else if (arg.startsWith('-') && arg !== '-') throw new UnsupportedCommand(`grep ${arg}`)
    else rest.push(arg)
  }
  if (patterns.length === 0) patterns.push(rest.shift() ?? '')
  refuseFiles('grep', rest)
  if (patterns.length > 1 || Number.isNaN(limit)) throw new UnsupportedCommand(`grep ${args.join(' ')}`)
  return { flags, pattern: patterns[0]!, limit }
}

const compileGrep = ({ flags, pattern }: GrepFlags): LinearPattern => {
  let source = flags.has('F') ? escapeAll(pattern) : flags.has('E') ? pattern : fromBasic(pattern)
  if (/\\[1-9<>]/.test(source)) throw new UnsupportedCommand(`grep ${pattern}`)
  if (flags.has('w')) source = `\\b(?:${source})\\b`
  if (flags.has('x')) source = `^(?:${source})$`
  try {
    return linearPattern(flags.has('i') ? `(?i)${source}` : source)
  } catch (error) {
    if (error instanceof PatternError) throw new UnsupportedCommand(`grep ${pattern}`)
    throw error
  }
}

const grep: Program = async ({ args, stdin, out }) => {
  const parsed = parseGrep(args)
  const { flags, limit } = parsed
  const compiled = compileGrep(parsed)
  const found = splitLines(stdin)
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => compiled.test(line) !== flags.has('v'))
    .slice(0, limit)
  if (flags.has('q')) return Number(found.length === 0)
  if (flags.has('c')) out(`${found.length}\n`)
  else
    for (const { line, number } of found) {
      const prefix = flags.has('n') ? `${number}:` : ''
      if (!flags.has('o')) out(`${prefix}${line}\n`)
      else
        for (
          let at = compiled.find(line);
          at !== undefined;
          at = compiled.find(line, Math.max(at[1], at[0] + 1))
        ) {
          if (at[1] > at[0]) out(`${prefix}${line.slice(at[0], at[1])}\n`)
          if (at[1] >= line.length) break
        }
    }
  return Number(found.length === 0)
}

/** The number of lines of head and tail: `-n 5`, `-n5`, `-5`. */
const parseCount = (program: string, args: readonly string[]): { count: string } => {
  const [first, second, ...rest] = args
  if (first === undefined) return { count: '10' }
  if (first === '-n' && second !== undefined) {
    refuseFiles(program, rest)
    return { count: second }
  }
  const [, count] = /^-n?([+-]?\d+)$/.exec(first) ?? []
  if (count === undefined) {
    refuseFiles(
      program,
      args.filter((arg) => !arg.startsWith('-')),
    )
    throw new UnsupportedCommand(`${program} ${args.join(' ')}`)
  }
  refuseFiles(program, args.slice(1))
  return { count }
}

const head: Program = async ({ args, stdin, out }) => {
  const { count } = parseCount('head', args)
  if (!/^-?\d+$/.test(count)) throw new UnsupportedCommand(`head -n ${count}`)
  out(joinLines(splitLines(stdin).slice(0, Number(count))))
  return 0
}

const tail: Program = async ({ args, stdin, out }) => {
  const { count } = parseCount('tail', args)
  const lines = splitLines(stdin)
  if (/^\+\d+$/.test(count)) out(joinLines(lines.slice(Math.max(0, Number(count) - 1))))
  else if (/^-?\d+$/.test(count)) {
    const number = Math.abs(Number(count))
    out(joinLines(number === 0 ? [] : lines.slice(-number)))
  } else throw new UnsupportedCommand(`tail -n ${count}`)
  return 0
}

const wc: Program = async ({ args, stdin, out }) => {
  if (args.length !== 1 || !['-l', '-w', '-c'].includes(args[0]!))
    throw new UnsupportedCommand(`wc ${args.join(' ')}`)
  const counts: Readonly<Record<string, number>> = {
    '-l': stdin.split('\n').length - 1,
    '-w': stdin.split(/\s+/).filter((word) => word !== '').length,
    '-c': Buffer.byteLength(stdin),
  }
  out(`${counts[args[0]!]}\n`)
  return 0
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** In the locale of the sandbox, C.UTF-8, lines are sorted by their bytes. */
const sort: Program = async ({ args, stdin, out }) => {
  const flags = args.join('').replaceAll('-', '')
  if (!/^[ru]*$/.test(flags) || args.some((arg) => !arg.startsWith('-')))
    throw new UnsupportedCommand(`sort ${args.join(' ')}`)
  const lines = splitLines(stdin).sort(byBytes)
  if (flags.includes('r')) lines.reverse()
  out(joinLines(flags.includes('u') ? [...new Set(lines)] : lines))
  return 0
}

const uniq: Program = async ({ args, stdin, out }) => {
  if (args.length > 0) throw new UnsupportedCommand(`uniq ${args.join(' ')}`)
  out(joinLines(splitLines(stdin).filter((line, index, lines) => line !== lines[index - 1])))
  return 0
}

const cut: Program = async ({ args, stdin, out }) => {
  const text = args.join(' ')
  const [, delimiter, field] = /^-d ?(.) -f ?(\d+)$/.exec(text) ?? []
  if (delimiter === undefined) throw new UnsupportedCommand(`cut ${text}`)
  const number = Number(field)
  out(
    joinLines(
      splitLines(stdin).map((line) =>
        line.includes(delimiter) ? (line.split(delimiter)[number - 1] ?? '') : line,
      ),
    ),
  )
  return 0
}

const ESCAPED: Readonly<Record<string, string>> = { '\\n': '\n', '\\t': '\t', '\\r': '\r' }

const tr: Program = async ({ args, stdin, out }) => {
  const [first, second, ...rest] = args
  const plain = (text: string | undefined): string => {
    const value = ESCAPED[text ?? ''] ?? text
    if (value === undefined || [...value].length !== 1) throw new UnsupportedCommand(`tr ${args.join(' ')}`)
    return value
  }
  if (rest.length > 0) throw new UnsupportedCommand(`tr ${args.join(' ')}`)
  out(first === '-d' ? stdin.replaceAll(plain(second), '') : stdin.replaceAll(plain(first), plain(second)))
  return 0
}

export const filters: Readonly<Record<string, Program>> = {
  awk,
  cat,
  cut,
  egrep: (call) => grep({ ...call, args: ['-E', ...call.args], stdin: call.stdin }),
  grep,
  head,
  sort,
  tail,
  tr,
  uniq,
  wc,
}
