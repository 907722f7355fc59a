/** Signs, digit groups and padding of formatted numbers, shared by `%` and `format`. */

import { spendText } from '../work.ts'
import { exponentText, fixedText, generalText } from './float-text.ts'

export interface NumberLayout {
  readonly sign: '+' | '-' | ' '
  readonly width: number
  readonly fill: string
  /** `=` puts the fill between the sign and the digits. */
  readonly align: '<' | '>' | '^' | '='
  readonly group: string
}

export const padText = (text: string, length: number, width: number, fill: string, align: string): string => {
  const missing = Math.max(0, width - length)
  spendText(text.length + missing)
  if (align === '<') return text + fill.repeat(missing)
  if (align === '^') return fill.repeat(missing >> 1) + text + fill.repeat(missing - (missing >> 1))
  return fill.repeat(missing) + text
}

const addGroups = (digits: string, group: string, size: number): string =>
  group === '' ? digits : digits.replace(new RegExp(`\\B(?=(\\w{${size}})+$)`, 'g'), group)

/** `unsigned` may have a prefix such as `0x`, and a fraction or exponent. */
export const padNumber = (
  unsigned: { prefix: string; whole: string; rest: string; isNegative: boolean },
  { sign, width, fill, align, group }: NumberLayout,
  groupSize = 3,
): string => {
  const mark = unsigned.isNegative ? '-' : sign === '-' ? '' : sign
  const head = mark + unsigned.prefix
  let whole = addGroups(unsigned.whole, group, groupSize)
  if (align !== '=') {
    const text = head + whole + unsigned.rest
    return padText(text, text.length, width, fill, align)
  }
  const room = width - head.length - unsigned.rest.length
  spendText(Math.max(0, room))
  // Zeros count as digits of groups: format(7, '06,') is '00,007'.
  if (group !== '' && fill === '0')
    for (let digits = unsigned.whole; whole.length < room; ) {
      digits = `0${digits}`
      whole = addGroups(digits, group, groupSize)
    }
  return head + whole.padStart(room, fill) + unsigned.rest
}

/** A float in the notation `e`, `f` or `g`, without its sign. */
export const floatDigits = (
  value: number,
  notation: string,
  precision: number,
  keepsZeros: boolean,
): { whole: string; rest: string } => {
  spendText(precision)
  const lower = notation.toLowerCase()
  const size = Math.abs(value)
  const text =
    lower === 'f'
      ? fixedText(size, precision)
      : lower === 'e'
        ? exponentText(size, precision)
        : generalText(size, precision, keepsZeros)
  const cased = notation === lower ? text : text.toUpperCase()
  const whole = /^\d+/.exec(cased)![0]
  return { whole, rest: cased.slice(whole.length) }
}
