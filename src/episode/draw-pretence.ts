/**
 * How a control is prepared: as if a fault were put in and then waited for. Solvers see every walk in telemetry, so whoever counts
 * walks or looks at the clock must not learn from it that nothing is wrong.
 */
import { createRandom, type Random } from '../kit/index.ts'
import type { Fault, FaultTarget, SystemView } from '../spec/index.ts'
import { likelyJourneys, namedServices } from './likely-journeys.ts'

interface Pretence {
  /** Nobody of the laboratory walks for so long, as while a fault is put in. */
  readonly quietMs: number
  /** Those that a fault would be felt in. */
  readonly journeys: readonly string[]
  readonly walkedMs: number
  /** Walks are asked for no more often: those that suffer fail within milliseconds, or take seconds. */
  readonly everyMs: number
}

/**
 * What 212 faults took on two cores, in milliseconds: a value lies between each two neighbours as often as between any others. The
 * longest waits are left out, to keep controls short.
 */
const UNTIL_IN_FORCE = [40, 90, 150, 250, 500, 1100, 1300, 2500]
const UNTIL_FELT = [1000, 1020, 1100, 1250, 1500, 2000, 2500, 3500, 8000]
const UNTIL_A_WALK_ENDS = [5, 20, 130, 400, 1500, 10_000]

const drawFrom = (steps: readonly number[], random: Random): number => {
  const index = random.below(steps.length - 1)
  const [from, to] = [steps[index]!, steps[index + 1]!]
  return from + random.next() * (to - from)
}

/** One that a fault might have hit; nobody where there is no fault for this system. */
const drawTarget = (
  view: SystemView,
  faults: ReadonlyMap<string, Fault>,
  random: Random,
): FaultTarget | undefined => {
  const left = [...faults.values()]
  while (left.length > 0) {
    const [fault] = left.splice(random.below(left.length), 1)
    const targets = fault!.targets(view)
    if (targets.length > 0) return targets[random.below(targets.length)]
  }
  return undefined
}

/** The same seed gives the same. */
export const drawPretence = (
  view: SystemView,
  faults: ReadonlyMap<string, Fault>,
  seed: string,
): Pretence => {
  const random = createRandom(seed).fork('pretence')
  const target = drawTarget(view, faults, random.fork('service'))
  return {
    quietMs: drawFrom(UNTIL_IN_FORCE, random),
    journeys: likelyJourneys(view, target === undefined ? [] : namedServices(view, target)),
    walkedMs: drawFrom(UNTIL_FELT, random),
    everyMs: drawFrom(UNTIL_A_WALK_ENDS, random),
  }
}
