/** Programs that print, wait or compare: echo, printf, true, false, sleep, test, seq and date. */

import { UnsupportedCommand } from '#spec'
import type { Program } from '../command-context.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\',
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

const decodeEscapes = (text: string): string => {
  if (/\\[c0]/.test(text)) throw new UnsupportedCommand(`the escape sequence in ${text}`)
  return text.replaceAll(/\\([\\abfnrtv])/g, (_, character: string) => ESCAPES[character]!)
}

/** As in dash: escape sequences always count, and only `-n` is an option. */
const echo: Program = async ({ args, out }) => {
  const isPlain = args[0] === '-n'
  if (args[0] === '-e') throw new UnsupportedCommand('echo -e')
  out(`${decodeEscapes((isPlain ? args.slice(1) : args).join(' '))}${isPlain ? '' : '\n'}`)
  return 0
}

const printf: Program = async ({ args: [format = '', ...values], out }) => {
  const directives = format.match(/%[^%]/g) ?? []
  if (directives.some((directive) => directive !== '%s' && directive !== '%d'))
    throw new UnsupportedCommand(`printf ${format}`)
  let rest = values
  do {
    let used = 0
    out(
      decodeEscapes(format).replaceAll(/%([sd%])/g, (_, type: string) => {
        if (type === '%') return '%'
        const value = rest[used] ?? (type === 'd' ? '0' : '')
        used += 1
        return value
      }),
    )
    rest = rest.slice(used)
    if (used === 0) break
  } while (rest.length > 0)
  return 0
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

const sleepProgram: Program = async ({ args, sleep }) => {
  let seconds = 0
  for (const arg of args) {
    const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)([smhd])?$/.exec(arg) ?? []
    if (number === undefined) throw new UnsupportedCommand(`sleep ${arg}`)
    seconds += Number(number) * UNITS[unit]!
  }
  await sleep(seconds * 1000)
  return 0
}

type Comparison = (a: string, b: string) => boolean

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '-eq': (a, b) => Number(a) === Number(b),
  '-ne': (a, b) => Number(a) !== Number(b),
  '-lt': (a, b) => Number(a) < Number(b),
  '-le': (a, b) => Number(a) <= Number(b),
  '-gt': (a, b) => Number(a) > Number(b),
  '-ge': (a, b) => Number(a) >= Number(b),
}

const testWords = (words: readonly string[]): boolean => {
  if (words[0] === '!' && words.length > 1) return !testWords(words.slice(1))
  const [a = '', operator = '', b = ''] = words
  if (words.length === 0) return false
  if (words.length === 1) return a !== ''
  if (words.length === 2 && a === '-n') return operator !== ''
  if (words.length === 2 && a === '-z') return operator === ''
  const compare = COMPARISONS[operator]
  if (words.length !== 3 || compare === undefined) throw new UnsupportedCommand(`test ${words.join(' ')}`)
  if (operator.startsWith('-') && ![a, b].every((value) => /^[-+]?\d+$/.test(value)))
    throw new UnsupportedCommand(`test ${words.join(' ')}`)
  return compare(a, b)
}

const test: Program = async ({ args }) => Number(!testWords(args))

const bracket: Program = async ({ args }) => {
  if (args.at(-1) !== ']') throw new UnsupportedCommand('[ without ]')
  return Number(!testWords(args.slice(0, -1)))
}

const seq: Program = async ({ args, out }) => {
  const numbers = args.map(Number)
  if (numbers.length === 0 || numbers.length > 2 || numbers.some((number) => !Number.isInteger(number)))
    throw new UnsupportedCommand(`seq ${args.join(' ')}`)
  const [first, last] = numbers.length === 1 ? [1, numbers[0]!] : [numbers[0]!, numbers[1]!]
  for (let number = first; number <= last; number += 1) out(`${number}\n`)
  return 0
}

/** The formats of `date` that do not depend on a locale. The sandbox is in UTC. */
const date: Program = async ({ args, clock, out }) => {
  const format = args.filter((arg) => arg !== '-u').join(' ')
  const iso = new Date(clock.now()).toISOString()
  const parts: Readonly<Record<string, string>> = {
    Y: iso.slice(0, 4),
    m: iso.slice(5, 7),
    d: iso.slice(8, 10),
    H: iso.slice(11, 13),
    M: iso.slice(14, 16),
    S: iso.slice(17, 19),
    F: iso.slice(0, 10),
    T: iso.slice(11, 19),
    s: String(Math.floor(clock.now() / 1000)),
    z: '+0000',
    Z: 'UTC',
    '%': '%',
  }
  if (!format.startsWith('+')) throw new UnsupportedCommand(`date ${args.join(' ')}`)
  out(
    `${format.slice(1).replaceAll(/%(.)/g, (directive, letter: string) => {
      const text = parts[letter]
      if (text === undefined) throw new UnsupportedCommand(`date ${directive}`)
      return text
    })}\n`,
  )
  return 0
}

export const simplePrograms: Readonly<Record<string, Program>> = {
  echo,
  printf,
  true: async () => 0,
  false: async () => 1,
  sleep: sleepProgram,
  test,
  '[': bracket,
  seq,
  date,
}
