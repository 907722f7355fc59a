/** Tests the format of figures. */
import { describe, expect, it } from 'vitest'
import { count, date, duration, moment, money, percent, plural } from './format.ts'

const plain = (text: string): string => text.replaceAll('\u00a0', ' ')

describe('format', () => {
  it('formats durations, moments and dates', () => {
    expect(
      [undefined, 340, 999.7, 6032, 59_960, 125_000, 3_599_700, 7_500_000].map(duration).map(plain),
    ).toEqual([...['–', '340 ms', '1.0 s', '6.0 s', '1 min 00 s', '2 min 05 s', '1 h 00 min', '2 h 05 min']])
    expect([0, 59_960, 61_240].map(moment)).toEqual(['0:00.0', '1:00.0', '1:01.2'])
    expect(date(1_794_755_682_927)).toBe('2026-11-15 15:14 UTC')
    expect(date(Number.NaN)).toBe('–')
  })

  it('formats shares, counts, money and plurals', () => {
    expect(
      [0, 0.0001, 0.004, 0.875, 229 / 230, 0.9999, 1, Number.NaN, undefined].map(percent).map(plain),
    ).toEqual(['0 %', '0.1 %', '0.4 %', '88 %', '99.6 %', '99.9 %', '100 %', '–', '–'])
    expect([3, 2.5, 9999, 12_345, 515_303, 3_100_000].map(count)).toEqual([
      '3',
      '2.5',
      '9999',
      '12.3k',
      '515k',
      '3.1M',
    ])
    expect([0, 0.0071, 0.2, 12.345].map(money)).toEqual(['$0', '$0.0071', '$0.20', '$12.35'])
    expect(money(undefined)).toBe('–')
    expect([1, 2].map((number) => plain(plural(number, 'object')))).toEqual(['1 object', '2 objects'])
  })
})
