/** DER encoding of the ASN.1 types that certificates use. */

const tagged = (tag: number, content: Buffer): Buffer => {
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content])
  const size: number[] = []
  for (let rest = length; rest > 0; rest >>= 8) size.unshift(rest & 0xff)
  return Buffer.concat([Buffer.from([tag, 0x80 | size.length, ...size]), content])
}

export const sequence = (...members: readonly Buffer[]): Buffer => tagged(0x30, Buffer.concat(members))

/** The members of a set are sorted by their encoding. */
export const set = (...members: readonly Buffer[]): Buffer =>
  tagged(0x31, Buffer.concat([...members].sort(Buffer.compare)))

export const boolean = (value: boolean): Buffer => tagged(0x01, Buffer.from([value ? 0xff : 0]))

/** A non-negative integer from its bytes; a leading zero byte keeps the sign bit clear. */
export const integer = (bytes: Uint8Array): Buffer => {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1
  const significant = Buffer.from(bytes.subarray(start))
  return tagged(0x02, significant[0]! < 0x80 ? significant : Buffer.concat([Buffer.from([0]), significant]))
}

export const bitString = (bytes: Uint8Array, unusedBits = 0): Buffer =>
  tagged(0x03, Buffer.concat([Buffer.from([unusedBits]), bytes]))

export const octetString = (bytes: Uint8Array): Buffer => tagged(0x04, Buffer.from(bytes))

export const utf8String = (text: string): Buffer => tagged(0x0c, Buffer.from(text))

/** Encodes an identifier such as `2.5.4.3`: the first two numbers share a byte, the others are in base 128. */
export const objectIdentifier = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second]
  for (const part of rest) {
    const digits = [part & 0x7f]
    for (let high = part >>> 7; high > 0; high >>>= 7) digits.unshift(0x80 | (high & 0x7f))
    bytes.push(...digits)
  }
  return tagged(0x06, Buffer.from(bytes))
}

/** X.509 requires two-digit years up to 2049. */
export const time = (milliseconds: number): Buffer => {
  const date = new Date(milliseconds)
  const digits = `${date.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`
  return date.getUTCFullYear() < 2050
    ? tagged(0x17, Buffer.from(digits.slice(2)))
    : tagged(0x18, Buffer.from(digits))
}

/** Puts the tag `[number]` around a whole value. */
export const explicit = (number: number, value: Buffer): Buffer => tagged(0xa0 | number, value)

/** Puts the tag `[number]` in place of the value's own tag. */
export const implicit = (number: number, content: Uint8Array): Buffer =>
  tagged(0x80 | number, Buffer.from(content))
