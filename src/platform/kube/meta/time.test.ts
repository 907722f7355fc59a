/** Tests of timestamps and ages. */
import { describe, expect, it } from 'vitest'
import { ageOf, fromTime, humanDuration, toMicroTime, toTime } from './time.ts'

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000]

describe('humanDuration', () => {
  it.each([
    [-2 * SECOND, '<invalid>'],
    [-1999, '0s'],
    [-1, '0s'],
    [0, '0s'],
    [999, '0s'],
    [119_999, '119s'],
    [120_000, '2m'],
    [2 * MINUTE + SECOND, '2m1s'],
    [10 * MINUTE - 1, '9m59s'],
    [10 * MINUTE + 59 * SECOND, '10m'],
    [3 * HOUR - 1, '179m'],
    [3 * HOUR, '3h'],
    [3 * HOUR + MINUTE, '3h1m'],
    [8 * HOUR - 1, '7h59m'],
    [8 * HOUR + 59 * MINUTE, '8h'],
    [48 * HOUR - 1, '47h'],
    [48 * HOUR, '2d'],
    [49 * HOUR, '2d1h'],
    [8 * DAY - 1, '7d23h'],
    [8 * DAY + 23 * HOUR, '8d'],
    [730 * DAY - 1, '729d'],
    [730 * DAY, '2y'],
    [731 * DAY, '2y1d'],
    [8 * 365 * DAY - 1, '7y364d'],
    [8 * 365 * DAY + 300 * DAY, '8y'],
    [100 * 365 * DAY, '100y'],
  ])('formats %d ms as %s', (milliseconds, text) => {
    expect(humanDuration(milliseconds)).toBe(text)
  })
})

describe('toTime and toMicroTime', () => {
  it('write whole seconds and six decimals, respectively', () => {
    const instant = Date.UTC(2026, 10, 15, 1, 40, 47, 123)
    expect(toTime(instant)).toBe('2026-11-15T01:40:47Z')
    expect(toMicroTime(instant)).toBe('2026-11-15T01:40:47.123000Z')
    expect(fromTime(toMicroTime(instant))).toBe(instant)
  })
})

describe('ageOf', () => {
  it('formats the age, or <unknown> without a timestamp', () => {
    expect(ageOf('2026-11-15T01:40:47Z', Date.UTC(2026, 10, 15, 1, 45, 47))).toBe('5m')
    expect(ageOf(undefined, 0)).toBe('<unknown>')
  })
})
