/** Reads, corrupts and fragments IPv4 packets. */

const FLAGS_OFFSET = 6
const MORE_FRAGMENTS = 0x2000
const OFFSET_MASK = 0x1fff

const headerLength = (packet: Buffer): number => (packet[0]! & 15) * 4

export const isIpv4 = (bytes: Buffer): boolean =>
  bytes.length >= 20 && bytes[0]! >> 4 === 4 && headerLength(bytes) >= 20

/** Whether the packet has the length that its header states. */
export const isComplete = (packet: Buffer): boolean => packet.readUInt16BE(2) === packet.length

export const destinationOf = (packet: Buffer): number => packet.readUInt32BE(16)

/** Flips one bit after the IP header, selected by `position` in [0, 1). Checksums of the payload are not updated. */
export const flipBit = (packet: Buffer, position: number): void => {
  const start = headerLength(packet)
  const bit = Math.floor(position * (packet.length - start) * 8)
  const index = start + (bit >> 3)
  if (index < packet.length) packet[index]! ^= 1 << (bit & 7)
}

/** Splits a packet that exceeds `mtu`. The raw socket fills in the IP checksums. */
export const toFragments = (packet: Buffer, mtu: number): readonly Buffer[] => {
  if (packet.length <= mtu) return [packet]
  const header = packet.subarray(0, headerLength(packet))
  const flags = packet.readUInt16BE(FLAGS_OFFSET)
  // Fragment offsets are in units of eight bytes.
  const step = (mtu - header.length) & ~7
  const fragments: Buffer[] = []
  for (let start = header.length; start < packet.length; start += step) {
    const fragment = Buffer.concat([header, packet.subarray(start, start + step)])
    const isLast = start + step >= packet.length
    const offset = (flags & OFFSET_MASK) + (start - header.length) / 8
    const moreFragments = isLast ? flags & MORE_FRAGMENTS : MORE_FRAGMENTS
    fragment.writeUInt16BE(fragment.length, 2)
    fragment.writeUInt16BE(moreFragments | offset, FLAGS_OFFSET)
    fragments.push(fragment)
  }
  return fragments
}
