/** Finds `grpc-status` in a header block that is encoded with HPACK; decodes nothing else. */

const NAME = Buffer.from('grpc-status')
const NAME_AS_HUFFMAN = Buffer.from('9acac8b21234da8f', 'hex')

class Reader {
  private at = 0
  private readonly block: Buffer

  constructor(block: Buffer) {
    this.block = block
  }

  get isAtEnd(): boolean {
    return this.at >= this.block.length
  }

  get nextByte(): number {
    return this.block[this.at]!
  }

  /** Reads an integer whose prefix shares its first byte with other bits. */
  readNumber(bits: number): number {
    const maxPrefix = (1 << bits) - 1
    let value = this.block[this.at++]! & maxPrefix
    if (value < maxPrefix) return value
    for (let shift = 0; this.at < this.block.length; shift += 7) {
      const byte = this.block[this.at++]!
      value += (byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    return value
  }

  readText(): { readonly isHuffman: boolean; readonly bytes: Buffer } {
    const isHuffman = (this.nextByte & 0x80) !== 0
    const length = this.readNumber(7)
    const bytes = this.block.subarray(this.at, this.at + length)
    this.at += length
    return { isHuffman, bytes }
  }
}

/** Decodes Huffman digits: `0` to `2` have five bits, `3` to `9` six; the last byte is padded with ones. */
const readDigits = (bytes: Buffer): string => {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  let digits = ''
  for (let at = 0; at + 5 <= bits.length; ) {
    const five = Number.parseInt(bits.slice(at, at + 5), 2)
    const six = Number.parseInt(bits.slice(at, at + 6), 2)
    if (five <= 2) {
      digits += five
      at += 5
    } else if (six >= 25 && six <= 31) {
      digits += six - 22
      at += 6
    } else break
  }
  return digits
}

/**
 * Returns undefined if the header is missing. On a new connection it occurs once, so its name is never a
 * reference to the dynamic table.
 */
export const findGrpcStatus = (block: Buffer): number | undefined => {
  const reader = new Reader(block)
  while (!reader.isAtEnd) {
    const first = reader.nextByte
    if (first & 0x80) reader.readNumber(7)
    else if ((first & 0xe0) === 0x20) reader.readNumber(5)
    else {
      const hasLiteralName = reader.readNumber(first & 0x40 ? 6 : 4) === 0
      const name = hasLiteralName ? reader.readText() : undefined
      const value = reader.readText()
      if (!name?.bytes.equals(name.isHuffman ? NAME_AS_HUFFMAN : NAME)) continue
      return Number(value.isHuffman ? readDigits(value.bytes) : value.bytes.toString('latin1'))
    }
  }
  return undefined
}
