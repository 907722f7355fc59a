/** Finds `grpc-status` in a block of headers that HPACK has packed, and can read nothing else in it. */

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

  get next(): number {
    return this.block[this.at]!
  }

  /** A number whose first bits share their byte with something else. */
  number(bits: number): number {
    const most = (1 << bits) - 1
    let value = this.block[this.at++]! & most
    if (value < most) return value
    for (let shift = 0; this.at < this.block.length; shift += 7) {
      const byte = this.block[this.at++]!
      value += (byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    return value
  }

  text(): { readonly isHuffman: boolean; readonly bytes: Buffer } {
    const isHuffman = (this.next & 0x80) !== 0
    const length = this.number(7)
    const bytes = this.block.subarray(this.at, this.at + length)
    this.at += length
    return { isHuffman, bytes }
  }
}

/** `0` to `2` are five bits in Huffman's code, `3` to `9` six, and ones fill the last byte. */
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
 * Undefined where it is not there. It comes once on a fresh connection, so that its name is never a mere reference to an
 * earlier one.
 */
export const findGrpcStatus = (block: Buffer): number | undefined => {
  const reader = new Reader(block)
  while (!reader.isAtEnd) {
    const first = reader.next
    if (first & 0x80) reader.number(7)
    else if ((first & 0xe0) === 0x20) reader.number(5)
    else {
      const isNamed = reader.number(first & 0x40 ? 6 : 4) === 0
      const name = isNamed ? reader.text() : undefined
      const value = reader.text()
      if (!name?.bytes.equals(name.isHuffman ? NAME_AS_HUFFMAN : NAME)) continue
      return Number(value.isHuffman ? readDigits(value.bytes) : value.bytes.toString('latin1'))
    }
  }
  return undefined
}
