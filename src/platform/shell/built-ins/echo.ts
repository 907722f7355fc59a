/** The program `echo` in its two forms. */
import { decodeEscapes } from './escapes.ts'

/** As in dash: escape sequences always count, and only `-n` is an option. */
export const echoOfDash = (args: readonly string[]): string => {
  const hasNewline = args[0] !== '-n'
  const { text, isEnd } = decodeEscapes((hasNewline ? args : args.slice(1)).join(' '), { isEcho: true })
  return hasNewline && !isEnd ? `${text}\n` : text
}

/** As in bash and in the program of its own: escape sequences count with `-e`. */
export const echoOfBash = (args: readonly string[]): string => {
  let at = 0
  let flags = ''
  while (/^-[neE]+$/.test(args[at] ?? '')) {
    flags += args[at]!.slice(1)
    at += 1
  }
  const decodes = flags.lastIndexOf('e') > flags.lastIndexOf('E')
  const joined = args.slice(at).join(' ')
  const { text, isEnd } = decodes
    ? decodeEscapes(joined, { isEcho: true, hasHex: true })
    : { text: joined, isEnd: false }
  return flags.includes('n') || isEnd ? text : `${text}\n`
}
