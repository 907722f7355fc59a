/** Tests the handling of IPv4 packets. */
import { describe, expect, it } from 'vitest'
import { destinationOf, flipBit, isComplete, isIpv4, toFragments } from './ip-packet.ts'

const createPacket = (payloadBytes: number): Buffer => {
  const packet = Buffer.alloc(20 + payloadBytes)
  packet[0] = 0x45
  packet.writeUInt16BE(packet.length, 2)
  packet.set([10, 244, 0, 7], 16)
  for (let index = 20; index < packet.length; index += 1) packet[index] = index & 255
  return packet
}

describe('an IPv4 packet', () => {
  it('is recognised, has a destination, and is incomplete if truncated', () => {
    const packet = createPacket(100)
    expect(isIpv4(packet)).toBe(true)
    expect(isIpv4(Buffer.from([0x60, 0, 0, 0]))).toBe(false)
    expect(destinationOf(packet)).toBe(0x0af40007)
    expect(isComplete(packet)).toBe(true)
    expect(isComplete(packet.subarray(0, 96))).toBe(false)
  })

  it.each([0, 0.5, 0.999999])('is corrupted in one bit after its header (position %f)', (position) => {
    const packet = createPacket(100)
    const before = Buffer.from(packet)
    flipBit(packet, position)
    const different = [...packet].flatMap((byte, index) =>
      byte === before[index] ? [] : [[index, byte ^ before[index]!]],
    )
    expect(different).toHaveLength(1)
    const [[index, bits]] = different as [[number, number]]
    expect(index).toBeGreaterThanOrEqual(20)
    expect(Math.log2(bits) % 1).toBe(0)
  })

  it('is not fragmented if it fits', () => {
    expect(toFragments(createPacket(1480), 1500)).toHaveLength(1)
  })

  it('can be reassembled from its fragments', () => {
    const packet = createPacket(4000)
    const fragments = toFragments(packet, 1500)
    expect(fragments.map(({ length }) => length)).toEqual([1500, 1500, 1060])
    expect(fragments.map((fragment) => fragment.readUInt16BE(2))).toEqual([1500, 1500, 1060])
    expect(fragments.map((fragment) => fragment.readUInt16BE(6))).toEqual([0x2000, 0x2000 | 185, 370])
    expect(Buffer.concat(fragments.map((fragment) => fragment.subarray(20)))).toEqual(packet.subarray(20))
  })
})
