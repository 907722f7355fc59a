/** Tests of parsing rates and sizes. */
import { expect, it } from 'vitest'
import { parseRate } from './parse-rate.ts'
import { parseSize } from './parse-size.ts'

it.each([
  ['1bps', 8],
  ['1 kbps', 8 * 1024],
  ['10Mbps', 10 * 8 * 1024 ** 2],
  ['1mbit', 1_000_000],
  ['1', undefined],
  ['1.5mbps', undefined],
  ['mbps', undefined],
])('parses the rate %s as %s', (text, bits) => {
  expect(parseRate(text)).toBe(bits)
})

it.each([
  ['256MB', { bytes: 256_000_000 }],
  ['1.5g', { bytes: 1_500_000_000 }],
  ['64 KiB', { bytes: 64_000 }],
  ['7', { bytes: 7 }],
  ['50%', { percent: 50 }],
  ['', { percent: 100 }],
  ['101%', undefined],
  ['-1MB', undefined],
  ['1ZB', undefined],
])('parses the size %j as %j', (text, size) => {
  expect(parseSize(text)).toEqual(size)
})
