/**
 * Text of programs as bytes, and back. Bytes that are not UTF-8 become lone surrogates (U+DC80 to U+DCFF), so that no content changes on its
 * way through a shell.
 */

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const FIRST_ESCAPED = 0xdc80
const LAST_ESCAPED = 0xdcff
const ESCAPED = /[\udc80-\udcff]/

/** The length of the valid UTF-8 character at the position; 0 if there is none. */
const characterLength = (bytes: Uint8Array, at: number): number => {
  const first = bytes[at]!
  const length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0
  if (length === 0 || at + length > bytes.length) return 0
  try {
    strict.decode(bytes.subarray(at, at + length))
    return length
  } catch {
    return 0
  }
}

export const decodeBytes = (bytes: Uint8Array): string => {
  try {
    return strict.decode(bytes)
  } catch {
    const parts: string[] = []
    for (let at = 0; at < bytes.length; ) {
      const length = characterLength(bytes, at)
      parts.push(
        length === 0
          ? String.fromCharCode(0xdc00 + bytes[at]!)
          : strict.decode(bytes.subarray(at, at + length)),
      )
      at += Math.max(1, length)
    }
    return parts.join('')
  }
}

export const encodeText = (text: string): Uint8Array => {
  const encoder = new TextEncoder()
  // A low surrogate after a high one is a part of a character.
  if (!ESCAPED.test(text)) return encoder.encode(text)
  const parts: Uint8Array[] = []
  for (const character of text) {
    const code = character.charCodeAt(0)
    const isEscaped = character.length === 1 && code >= FIRST_ESCAPED && code <= LAST_ESCAPED
    parts.push(isEscaped ? Uint8Array.of(code - 0xdc00) : encoder.encode(character))
  }
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
