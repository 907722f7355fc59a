/** The numbers in literals of Python. */
import { type Float, toFloat, toInt } from './value.ts'

export const NUMBER =
  /(?:0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:(?:\d(?:_?\d)*)?\.\d(?:_?\d)*|\d(?:_?\d)*\.?)(?:[eE][-+]?\d(?:_?\d)*)?)[jJ]?/y

/** `text` has no underscores. Returns undefined if Python rejects the number. */
export const toNumber = (text: string): number | bigint | Float | undefined => {
  if (/^0[xXoObB]/.test(text)) return toInt(BigInt(text.replace(/[jJ]$/, '')))
  if (/[.eE]/.test(text)) return toFloat(Number(text.replace(/[jJ]$/, '')))
  if (/^0+[1-9]/.test(text) || text.length > 4300) return undefined
  return toInt(BigInt(text.replace(/[jJ]$/, '')))
}

export const toNegative = (value: unknown): unknown => {
  if (typeof value === 'bigint') return toInt(-value)
  return typeof value === 'number' && Number.isInteger(value)
    ? 0 - value
    : toFloat(-(typeof value === 'number' ? value : (value as { value: number }).value))
}
