/** The programs head and tail. */
import { UnsupportedCommand } from '#spec'
import type { Program } from '../command-context.ts'
import { joinLines, refuseFiles, splitLines } from './lines.ts'

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

export const head: Program = async ({ args, stdin, out }) => {
  const { count } = parseCount('head', args)
  if (!/^-?\d+$/.test(count)) throw new UnsupportedCommand(`head -n ${count}`)
  out(joinLines(splitLines(stdin).slice(0, Number(count))))
  return 0
}

export const tail: Program = async ({ args, stdin, out }) => {
  const { count } = parseCount('tail', args)
  const lines = splitLines(stdin)
  if (/^\+\d+$/.test(count)) out(joinLines(lines.slice(Math.max(0, Number(count) - 1))))
  else if (/^-?\d+$/.test(count)) {
    const number = Math.abs(Number(count))
    out(joinLines(number === 0 ? [] : lines.slice(-number)))
  } else throw new UnsupportedCommand(`tail -n ${count}`)
  return 0
}
