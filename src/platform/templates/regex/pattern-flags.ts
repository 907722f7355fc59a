/** The flags of a regular expression, at its start and of a group. */
import { UnsupportedTemplate } from '../template-error.ts'
import type { PatternReader } from './pattern-reader.ts'
import { regexError } from './regex-error.ts'

export interface Flags {
  readonly i: boolean
  readonly m: boolean
  readonly s: boolean
}

/** Flags at the start, also behind comments and other flags. */
export const readGlobalFlags = (reader: PatternReader, flags: Flags): Flags => {
  const result = { ...flags }
  const start = /^(?:\(\?#[^)]*\)|\(\?[aiLmsux]+\))+/.exec(reader.source)?.[0] ?? ''
  const groups = [...start.matchAll(/\(\?#[^)]*\)|\(\?([aiLmsux]+)\)/g)]
  for (const flag of groups.map(([, letters]) => letters ?? '').join('')) {
    if (flag === 'i' || flag === 'm' || flag === 's') result[flag] = true
    else if (flag !== 'u') throw new UnsupportedTemplate(`the flag ${flag} of a regular expression`)
  }
  reader.position = start.length
  return result
}

/** After `(?`: the flags of a group without a number; undefined for a comment. */
export const readGroupFlags = (reader: PatternReader, start: number): string | undefined => {
  if (reader.take(':')) return ''
  if (reader.take('#')) {
    const end = reader.source.indexOf(')', reader.position)
    if (end < 0) throw regexError('missing ), unterminated comment', start)
    reader.position = end + 1
    return undefined
  }
  const { rest } = reader
  if (/^(?:[=!>(]|<[=!]|P=)/.test(rest))
    throw new UnsupportedTemplate('lookaround, atomic groups, conditions and backreferences')
  const scoped = /^([ims]*(?:-[ims]+)?):/.exec(rest)
  if (scoped !== null) {
    reader.position += scoped[0].length
    return scoped[1]!
  }
  if (/^[aiLmsux]+\)/.test(rest)) throw regexError('global flags not at the start of the expression', start)
  if (/^[-aiLmsux]/.test(rest)) throw new UnsupportedTemplate('these flags of a regular expression')
  throw regexError(`unknown extension ?${rest.slice(0, 2)}`, start + 1)
}

/** For the rest of the group; `i-s` turns on one flag and off the other. */
export const withFlags = (flags: Flags, change: string): Flags => {
  const [on, off = ''] = change.split('-') as [string, string?]
  const isOn = (flag: 'i' | 'm' | 's'): boolean => on.includes(flag) || (flags[flag] && !off.includes(flag))
  return { i: isOn('i'), m: isOn('m'), s: isOn('s') }
}
