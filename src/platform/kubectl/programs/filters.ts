/** Programs that read lines and write some of them: cat, grep, head, tail, wc, sort, uniq, cut, tr and awk. */
import { UnsupportedCommand } from '#spec'
import type { Program } from '../command-context.ts'
import { awk } from './awk.ts'
import { grep } from './grep.ts'
import { head, tail } from './head-and-tail.ts'
import { joinLines, refuseFiles, splitLines } from './lines.ts'

const cat: Program = async ({ args, stdin, out }) => {
  refuseFiles('cat', args)
  out(stdin)
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
