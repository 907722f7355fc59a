/** The times at which journeys start, in milliseconds since the start of the load; a seed determines them. */
import type { Random } from '#kit'
import type { ArrivalPattern } from '#spec'
import type { Arrival } from '../parsing/parse-arrivals.ts'

type ShapedPattern = Exclude<ArrivalPattern, { kind: 'constant' | 'replay' }>

/** A part of a pattern. Rates are arrivals per second; times are in milliseconds. */
interface Piece {
  readonly maxRate: number
  readonly rateAt: (ms: number) => number
  readonly until: number
}

const constantPiece = (rate: number, until = Number.POSITIVE_INFINITY): Piece => ({
  maxRate: rate,
  rateAt: () => rate,
  until,
})

/** The pieces of a pattern in order of time. */
function* toPieces(pattern: ShapedPattern): Generator<Piece> {
  switch (pattern.kind) {
    case 'poisson':
      return yield constantPiece(pattern.rate)
    case 'bursty': {
      const { rate, burstRate, burstMs, calmMs } = pattern
      for (let start = 0; ; start += calmMs + burstMs) {
        yield constantPiece(rate, start + calmMs)
        yield constantPiece(burstRate, start + calmMs + burstMs)
      }
    }
    case 'daily': {
      // The day starts at its lowest rate.
      const { low, high, dayMs } = pattern
      const rateAt = (ms: number): number =>
        low + ((high - low) * (1 - Math.cos((2 * Math.PI * ms) / dayMs))) / 2
      return yield { maxRate: Math.max(low, high), rateAt, until: Number.POSITIVE_INFINITY }
    }
    case 'ramp': {
      const { from, to, overMs } = pattern
      const rateAt = (ms: number): number => from + ((to - from) * ms) / overMs
      yield { maxRate: Math.max(from, to), rateAt, until: overMs }
      return yield constantPiece(to)
    }
    case 'spike': {
      const { rate, spikeRate, atMs, forMs } = pattern
      yield constantPiece(rate, atMs)
      yield constantPiece(spikeRate, atMs + forMs)
      yield constantPiece(rate)
    }
  }
}

/**
 * A Poisson process with a varying rate, by thinning: draws candidates at the highest rate of a piece and
 * keeps each with the probability rate/maximum.
 */
function* drawArrivals(pieces: Iterable<Piece>, random: Random): Generator<Arrival> {
  let start = 0
  for (const { maxRate, rateAt, until } of pieces) {
    const drawGap = (): number => (-Math.log(1 - random.next()) * 1000) / maxRate
    if (maxRate > 0)
      for (let ms = start + drawGap(); ms < until; ms += drawGap())
        if (random.next() * maxRate < rateAt(ms)) yield { ms }
    start = until
  }
}

function* constantArrivals(rate: number): Generator<Arrival> {
  for (let index = 0; ; index += 1) yield { ms: (index * 1000) / rate }
}

/** A repetition starts one average gap after the last arrival. */
function* replayArrivals(arrivals: readonly Arrival[], repeat: boolean): Generator<Arrival> {
  const last = arrivals.at(-1)?.ms ?? 0
  const period = Math.max(1, last + last / Math.max(1, arrivals.length - 1))
  for (let round = 0; round === 0 || repeat; round += 1)
    for (const arrival of arrivals) yield { ...arrival, ms: round * period + arrival.ms }
}

/**
 * Endless, except for a replay without `repeat` and a spike with a base rate of 0. `trace` contains the
 * arrivals of a replay.
 */
export const arrivalTimes = (
  pattern: ArrivalPattern,
  random: Random,
  trace: readonly Arrival[] = [],
): Generator<Arrival> => {
  if (pattern.kind === 'constant') return constantArrivals(pattern.rate)
  if (pattern.kind === 'replay') return replayArrivals(trace, pattern.repeat === true && trace.length > 0)
  return drawArrivals(toPieces(pattern), random)
}
