/**
 * Draws the timing with which a control is prepared, as if a fault were injected and its
 * impact awaited. Solvers see every journey run in telemetry, so neither the number of runs
 * nor the time may reveal that nothing is wrong.
 */
import { createRandom, type Random } from '#kit'
import type { Fault, FaultTarget, SystemView } from '#spec'
import { likelyJourneys, namedServices } from './likely-journeys.ts'

interface ControlTiming {
  /** The time without extra runs, like the time in which a fault is injected. */
  readonly quietMs: number
  /** Journeys that a fault would affect. */
  readonly journeys: readonly string[]
  readonly waitMs: number
  /** The minimum time between requests for runs: affected runs fail within milliseconds, or take seconds. */
  readonly everyMs: number
}

/**
 * Quantiles of 212 faults measured on two cores, in milliseconds; a value falls between any two neighbours
 * with the same probability. The longest waits are left out, to keep controls short. Since then, impact counts
 * only after a rollout: two seconds later for a tenth of the faults, and seven seconds later for a fifth, whose
 * users fail at once. The quantiles were adjusted for that; a test compares them with the last validation.
 */
const INJECTION_MS = [40, 90, 150, 250, 500, 1100, 1300, 2500]
const IMPACT_MS = [1000, 1030, 1100, 1350, 1800, 2400, 3300, 7000, 9000]
const RUN_MS = [5, 20, 130, 400, 1500, 10_000]

const drawFrom = (quantiles: readonly number[], random: Random): number => {
  const index = random.below(quantiles.length - 1)
  const [from, to] = [quantiles[index]!, quantiles[index + 1]!]
  return from + random.next() * (to - from)
}

/** A target of any fault that fits the system; undefined if none fits. */
const drawTarget = (
  view: SystemView,
  faults: ReadonlyMap<string, Fault>,
  random: Random,
): FaultTarget | undefined => {
  const candidates = [...faults.values()]
  while (candidates.length > 0) {
    const [fault] = candidates.splice(random.below(candidates.length), 1)
    const targets = fault!.targets(view)
    if (targets.length > 0) return targets[random.below(targets.length)]
  }
  return undefined
}

/** The same seed always draws the same timing. */
export const drawControlTiming = (
  view: SystemView,
  faults: ReadonlyMap<string, Fault>,
  seed: string,
): ControlTiming => {
  // The name of the fork must not change: the results of published seeds depend on it.
  const random = createRandom(seed).fork('pretence')
  const target = drawTarget(view, faults, random.fork('service'))
  return {
    quietMs: drawFrom(INJECTION_MS, random),
    journeys: likelyJourneys(view, target === undefined ? [] : namedServices(view, target)),
    waitMs: drawFrom(IMPACT_MS, random),
    everyMs: drawFrom(RUN_MS, random),
  }
}
