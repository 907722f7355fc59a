/** The program grep. */
import { type LinearPattern, linearPattern, PatternError } from '#kit'
import { UnsupportedCommand } from '#spec'
import type { Program } from '../command-context.ts'
import { refuseFiles, splitLines } from './lines.ts'

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

export const grep: Program = async ({ args, stdin, out }) => {
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
