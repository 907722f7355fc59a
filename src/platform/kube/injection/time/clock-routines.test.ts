/** Tests offsets and jumps as bytes; create-time-faults.test.ts runs the routines in real processes. */
import { describe, expect, it } from 'vitest'
import { CLOCK_COUNT, routinesFor, TABLE_BYTES, toOffsetTable } from './clock-routines.ts'

const readRow = (table: Buffer, index: number): bigint[] => [
  table.readBigInt64LE(index * 16),
  table.readBigInt64LE(index * 16 + 8),
]

describe('the table of offsets', () => {
  it.each([
    [1_500_000_000n, [1n, 500_000_000n]],
    [-1n, [-1n, 999_999_999n]],
    [-1_000_000_000n, [-1n, 0n]],
    [-600_000_000_001n, [-601n, 999_999_999n]],
    [0n, [0n, 0n]],
  ])('stores %d ns as seconds and a non-negative fraction', (offset, expected) => {
    expect(readRow(toOffsetTable(new Map([[1, offset]])), 1)).toEqual(expected)
  })

  it('stores the offset of CLOCK_REALTIME in microseconds for gettimeofday', () => {
    const table = toOffsetTable(new Map([[0, -1_500_000n]]))
    expect(table).toHaveLength(TABLE_BYTES)
    expect(readRow(table, CLOCK_COUNT)).toEqual([-1n, 998_500n])
    expect(readRow(toOffsetTable(new Map([[1, 5n]])), CLOCK_COUNT)).toEqual([0n, 0n])
  })
})

describe('the routines', () => {
  it.each(['x64', 'arm64'])('of %s begin at their entries, and are padded to 16 bytes', (architecture) => {
    const { code, entries } = routinesFor(architecture)
    expect(code.length % 16).toBe(0)
    // Each routine starts after a return or its padding.
    const precedingBytes = architecture === 'x64' ? ['c3', 'cc'] : ['d6', 'd5']
    for (const entry of Object.values(entries).filter((offset) => offset > 0))
      expect(precedingBytes).toContain(code.subarray(entry - 1, entry).toString('hex'))
  })

  it('can be reached by forward and backward jumps', () => {
    expect(routinesFor('x64').jump(0x100).toString('hex')).toBe('e9fb000000')
    expect(routinesFor('x64').jump(-0x10).toString('hex')).toBe('e9ebffffff')
    expect(routinesFor('arm64').jump(0x100).toString('hex')).toBe('5f2403d53f000014')
    expect(routinesFor('arm64').jump(-0x10).toString('hex')).toBe('5f2403d5fbffff17')
  })

  it('exist only for supported architectures', () => {
    expect(() => routinesFor('mips')).toThrow('do not support the architecture mips')
  })
})
