/** Escape sequences of echo and printf. */

const PLAIN: Readonly<Record<string, string>> = {
  '\\': '\\',
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

const byteToText = (byte: number): string => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)

export interface Unescaped {
  readonly text: string
  /** Whether `\c` ends the output. */
  readonly isEnd: boolean
}

const SEQUENCE = /\\(?:([\\abfnrtv])|0?([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(c))/g

/** `hasHex`: whether `\xHH` counts; in dash it does not. */
export const decodeEscapes = (text: string, { hasHex = false, isEcho = false } = {}): Unescaped => {
  let isEnd = false
  const [before = ''] = text.split(/(?<!\\)(?:\\\\)*\\c/, 1)
  if (before.length < text.length && isEcho) isEnd = true
  const source = isEnd ? before : text
  return {
    isEnd,
    text: source.replaceAll(SEQUENCE, (whole, plain?: string, octal?: string, hex?: string) => {
      if (plain !== undefined) return PLAIN[plain]!
      // In echo, an octal number starts with a zero.
      if (octal !== undefined) {
        if (isEcho && !whole.startsWith('\\0')) return whole
        return byteToText(Number.parseInt(octal, 8) & 0xff)
      }
      if (hex !== undefined && hasHex) return byteToText(Number.parseInt(hex, 16))
      return whole
    }),
  }
}
