/** When journeys begin, in milliseconds since the start: the same pattern and seed give the same times. */
import type { Random } from '../kit/index.ts'
import type { ArrivalPattern } from '../spec/index.ts'
import type { Arrival } from './parse-arrivals.ts'

type ShapedPattern = Exclude<ArrivalPattern, { kind: 'constant' | 'replay' }>

/** A piece of a pattern: arrivals a second, the most there are at any time in it, and when it ends. */
interface Piece {
  readonly most: number
  readonly rateAt: (ms: number) => number
  readonly until: number
}

const even = (rate: number, until = Number.POSITIVE_INFINITY): Piece => ({
  most: rate,
  rateAt: () => rate,
  until,
})

/** One after another, from the start on. */
function* piecesOf(pattern: ShapedPattern): Generator<Piece> {
  switch (pattern.kind) {
    case 'poisson':
      return yield even(pattern.rate)
    case 'bursty': {
      const { rate, burstRate, burstMs, calmMs } = pattern
      for (let start = 0; ; start += calmMs + burstMs) {
        yield even(rate, start + calmMs)
        yield even(burstRate, start + calmMs + burstMs)
      }
    }
    case 'daily': {
      // The day begins at its quietest hour.
      const { low, high, dayMs } = pattern
      const rateAt = (ms: number): number =>
        low + ((high - low) * (1 - Math.cos((2 * Math.PI * ms) / dayMs))) / 2
      return yield { most: Math.max(low, high), rateAt, until: Number.POSITIVE_INFINITY }
    }
    case 'ramp': {
      const { from, to, overMs } = pattern
      const rateAt = (ms: number): number => from + ((to - from) * ms) / overMs
      yield { most: Math.max(from, to), rateAt, until: overMs }
      return yield even(to)
    }
    case 'spike': {
      const { rate, spikeRate, atMs, forMs } = pattern
      yield even(rate, atMs)
      yield even(spikeRate, atMs + forMs)
      yield even(rate)
    }
  }
}

/**
 * A Poisson process of changing rate: candidates at the highest rate of a piece, of which so many are kept as the rate
 * says. What comes in a piece does not depend on those before it.
 */
function* shaped(pieces: Iterable<Piece>, random: Random): Generator<Arrival> {
  let start = 0
  for (const { most, rateAt, until } of pieces) {
    const gap = (): number => (-Math.log(1 - random.next()) * 1000) / most
    if (most > 0)
      for (let ms = start + gap(); ms < until; ms += gap())
        if (random.next() * most < rateAt(ms)) yield { ms }
    start = until
  }
}

function* constant(rate: number): Generator<Arrival> {
  for (let index = 0; ; index += 1) yield { ms: (index * 1000) / rate }
}

/** A repetition begins as long after the last arrival as arrivals are apart on average. */
function* replay(arrivals: readonly Arrival[], repeat: boolean): Generator<Arrival> {
  const last = arrivals.at(-1)?.ms ?? 0
  const period = Math.max(1, last + last / Math.max(1, arrivals.length - 1))
  for (let round = 0; round === 0 || repeat; round += 1)
    for (const arrival of arrivals) yield { ...arrival, ms: round * period + arrival.ms }
}

/** Endless, but for a replay that is not repeated and a spike with nothing around it. `trace` is what the file of a replay says. */
export const arrivalTimes = (
  pattern: ArrivalPattern,
  random: Random,
  trace: readonly Arrival[] = [],
): Generator<Arrival> => {
  if (pattern.kind === 'constant') return constant(pattern.rate)
  if (pattern.kind === 'replay') return replay(trace, pattern.repeat === true && trace.length > 0)
  return shaped(piecesOf(pattern), random)
}
