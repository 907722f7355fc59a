/** When journeys begin, in milliseconds since the start: the same pattern and seed give the same times. */
import type { Random } from '../kit/index.ts'
import type { ArrivalPattern } from '../spec/index.ts'
import type { Arrival } from './parse-arrivals.ts'

type ShapedPattern = Exclude<ArrivalPattern, { kind: 'constant' | 'replay' }>

/** Arrivals a second at a time, and the most there are at any. */
interface Shape {
  readonly most: number
  rateAt(ms: number): number
}

const toShape = (pattern: ShapedPattern): Shape => {
  switch (pattern.kind) {
    case 'poisson':
      return { most: pattern.rate, rateAt: () => pattern.rate }
    case 'bursty': {
      const { rate, burstRate, burstMs, calmMs } = pattern
      const rateAt = (ms: number): number => (ms % (calmMs + burstMs) < calmMs ? rate : burstRate)
      return { most: Math.max(rate, burstRate), rateAt }
    }
    case 'daily': {
      // The day begins at its quietest hour.
      const { low, high, dayMs } = pattern
      const rateAt = (ms: number): number =>
        low + ((high - low) * (1 - Math.cos((2 * Math.PI * ms) / dayMs))) / 2
      return { most: Math.max(low, high), rateAt }
    }
    case 'ramp': {
      const { from, to, overMs } = pattern
      return { most: Math.max(from, to), rateAt: (ms) => from + (to - from) * Math.min(1, ms / overMs) }
    }
    case 'spike': {
      const { rate, spikeRate, atMs, forMs } = pattern
      const rateAt = (ms: number): number => (ms >= atMs && ms < atMs + forMs ? spikeRate : rate)
      return { most: Math.max(rate, spikeRate), rateAt }
    }
  }
}

/** A Poisson process of changing rate: candidates at the highest rate, of which so many are kept as the rate says. */
function* shaped({ most, rateAt }: Shape, random: Random): Generator<Arrival> {
  let ms = 0
  for (;;) {
    ms += (-Math.log(1 - random.next()) * 1000) / most
    if (random.next() * most < rateAt(ms)) yield { ms }
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

/** Endless, but for a replay that is not repeated. `trace` is what the file of a replay says. */
export const arrivalTimes = (
  pattern: ArrivalPattern,
  random: Random,
  trace: readonly Arrival[] = [],
): Generator<Arrival> => {
  if (pattern.kind === 'constant') return constant(pattern.rate)
  if (pattern.kind === 'replay') return replay(trace, pattern.repeat === true && trace.length > 0)
  return shaped(toShape(pattern), random)
}
