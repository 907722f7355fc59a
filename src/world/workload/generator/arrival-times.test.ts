/** Tests the rates of arrival patterns, and that a seed determines the times. */
import { describe, expect, it } from 'vitest'
import { createRandom } from '#kit'
import type { ArrivalPattern } from '#spec'
import type { Arrival } from '../parsing/parse-arrivals.ts'
import { arrivalTimes } from './arrival-times.ts'

const timesUntil = (pattern: ArrivalPattern, end: number, seed = 's', trace?: Arrival[]): number[] => {
  const times: number[] = []
  for (const { ms } of arrivalTimes(pattern, createRandom(seed), trace)) {
    if (ms >= end) break
    times.push(ms)
  }
  return times
}

const countBetween = (times: readonly number[], from: number, to: number): number =>
  times.filter((ms) => ms >= from && ms < to).length

/** Allows five standard deviations of a Poisson distribution. */
const expectAbout = (count: number, mean: number): void => {
  expect(Math.abs(count - mean)).toBeLessThan(5 * Math.sqrt(mean) + 1)
}

describe('arrival times', () => {
  it('are evenly spaced for a constant rate', () => {
    expect(timesUntil({ kind: 'constant', rate: 4 }, 1001)).toEqual([0, 250, 500, 750, 1000])
  })

  it('ascend, and are determined by the seed', () => {
    const patterns: ArrivalPattern[] = [
      { kind: 'poisson', rate: 50 },
      { kind: 'bursty', rate: 5, burstRate: 90, burstMs: 300, calmMs: 700 },
      { kind: 'daily', low: 1, high: 60, dayMs: 4000 },
      { kind: 'ramp', from: 0, to: 60, overMs: 4000 },
      { kind: 'spike', rate: 5, spikeRate: 90, atMs: 1000, forMs: 500 },
    ]
    for (const pattern of patterns) {
      const times = timesUntil(pattern, 8000)
      expect(times).toEqual([...times].sort((a, b) => a - b))
      expect(timesUntil(pattern, 8000)).toEqual(times)
      expect(timesUntil(pattern, 8000, 'other')).not.toEqual(times)
    }
  })

  it('have the rate and the exponential gaps of a Poisson process', () => {
    const times = timesUntil({ kind: 'poisson', rate: 200 }, 20_000)
    expectAbout(times.length, 4000)
    const gaps = times.slice(1).map((ms, index) => ms - times[index]!)
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
    const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length)
    expect(deviation / mean).toBeGreaterThan(0.9)
    expect(deviation / mean).toBeLessThan(1.1)
  })

  it('follow bursts, days, ramps and spikes', () => {
    const bursty = timesUntil(
      { kind: 'bursty', rate: 10, burstRate: 400, burstMs: 1000, calmMs: 4000 },
      10_000,
    )
    expectAbout(countBetween(bursty, 0, 4000), 40)
    expectAbout(countBetween(bursty, 4000, 5000), 400)
    expectAbout(countBetween(bursty, 9000, 10_000), 400)
    const daily = timesUntil({ kind: 'daily', low: 0, high: 200, dayMs: 20_000 }, 20_000)
    expectAbout(daily.length, 2000)
    expect(countBetween(daily, 9000, 11_000)).toBeGreaterThan(10 * countBetween(daily, 0, 2000))
    const ramp = timesUntil({ kind: 'ramp', from: 0, to: 100, overMs: 10_000 }, 20_000)
    expectAbout(countBetween(ramp, 0, 10_000), 500)
    expectAbout(countBetween(ramp, 10_000, 20_000), 1000)
    const spike = timesUntil({ kind: 'spike', rate: 20, spikeRate: 500, atMs: 5000, forMs: 1000 }, 10_000)
    expectAbout(countBetween(spike, 5000, 6000), 500)
    expectAbout(countBetween(spike, 6000, 10_000), 80)
  })

  it('end after a spike with a base rate of 0, and skip pieces without arrivals', () => {
    const lateSpike = { kind: 'spike', rate: 0, spikeRate: 50, atMs: 1e12, forMs: 1000 } as const
    const times = [...arrivalTimes(lateSpike, createRandom('s'))].map(({ ms }) => ms)
    expectAbout(times.length, 50)
    expect(times.every((ms) => ms >= 1e12 && ms < 1e12 + 1000)).toBe(true)
    const rare = { kind: 'bursty', rate: 0, burstRate: 1e5, burstMs: 1, calmMs: 1e12 } as const
    expect(arrivalTimes(rare, createRandom('s')).next().value!.ms).toBeGreaterThanOrEqual(1e12)
  })

  it('are those of a trace, repeated with `repeat`', () => {
    const trace = [{ ms: 0 }, { ms: 10, journey: 'a' }, { ms: 20 }]
    expect(timesUntil({ kind: 'replay', file: 't' }, 100, 's', trace)).toEqual([0, 10, 20])
    expect(timesUntil({ kind: 'replay', file: 't', repeat: true }, 60, 's', trace)).toEqual([
      0, 10, 20, 30, 40, 50,
    ])
    expect([...arrivalTimes({ kind: 'replay', file: 't' }, createRandom('s'), trace)][1]).toEqual(trace[1])
  })
})
