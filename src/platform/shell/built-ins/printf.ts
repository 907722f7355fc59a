/** The program `printf`. */
import { UnsupportedCommand } from '#spec'
import { decodeEscapes } from './escapes.ts'

export interface Printed {
  readonly text: string
  readonly errors: readonly string[]
}

const DIRECTIVE = /%(?:(%)|([-+ 0#]*)(\d*)(?:\.(\d+))?([a-zA-Z*]))/g

const pad = (text: string, flags: string, width: string): string => {
  const size = Number(width || 0)
  if (flags.includes('-')) return text.padEnd(size)
  const isNumber = /^[-+]?[\d.]/.test(text)
  if (!flags.includes('0') || !isNumber) return text.padStart(size)
  const sign = /^[-+]/.exec(text)?.[0] ?? ''
  return sign + text.slice(sign.length).padStart(size - sign.length, '0')
}

const toInteger = (text: string, errors: string[]): number => {
  if (text === '') return 0
  if (/^["']/.test(text)) return text.codePointAt(1) ?? 0
  const [digits] = /^\s*[-+]?(?:0[xX][0-9a-fA-F]+|\d+)/.exec(text) ?? []
  if (digits === undefined) errors.push(`${text}: expected numeric value`)
  else if (digits.length < text.length) errors.push(`${text}: not completely converted`)
  const trimmed = digits?.trim() ?? '0'
  return /^[-+]?0\d/.test(trimmed) ? Number.parseInt(trimmed, 8) : Number(trimmed)
}

const toFloat = (text: string, errors: string[]): number => {
  const value = text === '' ? 0 : Number.parseFloat(text)
  if (!Number.isNaN(value)) return value
  errors.push(`${text}: expected numeric value`)
  return 0
}

const formatInteger = (value: number, type: string, flags: string, precision: string | undefined): string => {
  const radix = { x: 16, X: 16, o: 8 }[type] ?? 10
  const unsigned = radix === 10 ? value : Number(BigInt.asUintN(64, BigInt(value)))
  const digits = Math.abs(unsigned)
    .toString(radix)
    .padStart(Number(precision ?? 0), '0')
  const sign = value < 0 && radix === 10 ? '-' : flags.includes('+') ? '+' : ''
  return sign + (type === 'X' ? digits.toUpperCase() : digits)
}

/** Returns what `printf format values...` prints. */
export const printf = (format: string, values: readonly string[]): Printed => {
  const errors: string[] = []
  let rest = values
  let text = ''
  do {
    let used = 0
    let isEnd = false
    const take = (): string => rest[used++] ?? ''
    const convert = (type: string, flags: string, width: string, precision: string | undefined): string => {
      switch (type) {
        case 's':
          return pad(
            take().slice(0, precision === undefined ? undefined : Number(precision)),
            flags.replace('0', ''),
            width,
          )
        case 'c':
          return pad(take().slice(0, 1), flags, width)
        case 'b': {
          const decoded = decodeEscapes(take(), { isEcho: false, hasHex: true })
          return pad(decoded.text, flags, width)
        }
        case 'd':
        case 'i':
        case 'u':
        case 'x':
        case 'X':
        case 'o':
          return pad(formatInteger(toInteger(take(), errors), type, flags, precision), flags, width)
        case 'f':
          return pad(toFloat(take(), errors).toFixed(Number(precision ?? 6)), flags, width)
        default:
          throw new UnsupportedCommand(`printf ${format}`)
      }
    }
    const decoded = decodeEscapes(format.replaceAll('%%', '%\u0000'), { hasHex: true })
    if (/(?<!\\)(?:\\\\)*\\c/.test(format)) throw new UnsupportedCommand(`printf ${format}`)
    isEnd ||= decoded.isEnd
    text += decoded.text
      .replaceAll('%\u0000', '%%')
      .replaceAll(DIRECTIVE, (_, percent, flags, width, precision, type) =>
        percent === undefined ? convert(type, flags, width, precision) : '%',
      )
    rest = rest.slice(used)
    if (used === 0 || isEnd) break
  } while (rest.length > 0)
  return { text, errors }
}
