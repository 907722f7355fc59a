/** Regular expressions of grep and sed. */
import { type LinearPattern, linearPattern, PatternError } from '#kit'
import type { PodProgramCall } from '../pod-program.ts'

/** Translates a basic regular expression: the roles of plain and escaped operators are exchanged. */
export const fromBasic = (pattern: string): string =>
  pattern.replace(/^(\^?)\*/, String.raw`$1\*`).replaceAll(/\[[!^]?\]?[^\]]*\]|\\?[+?|(){}]|\\./g, (part) => {
    if (part.startsWith('[')) return part
    if (/^[+?|(){}]$/.test(part)) return `\\${part}`
    return /^\\[+?|(){}]$/.test(part) ? part.slice(1) : part
  })

export const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

const CLASSES: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  digit: '0-9',
  lower: 'a-z',
  upper: 'A-Z',
  space: String.raw`\s`,
  blank: ' \t',
  xdigit: '0-9A-Fa-f',
}

/** Ends as unsupported for an expression that cannot be matched in linear time. */
export const compileExpression = (call: PodProgramCall, source: string): LinearPattern => {
  if (/\\[1-9<>]/.test(source)) call.refuse()
  try {
    return linearPattern(source.replaceAll(/\[:(\w+):\]/g, (whole, name: string) => CLASSES[name] ?? whole))
  } catch (error) {
    if (error instanceof PatternError) call.refuse()
    throw error
  }
}
