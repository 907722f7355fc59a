/** Stage 3: waits until users are affected by the fault. A control waits about as long, in the same way. */
import { findUserImpact } from '#exam/oracles'
import { deriveSecret } from '#kit'
import type { Problem } from '#spec'
import { defineStage } from '../episode-context.ts'
import type { Equipment } from '../laboratory/equipment.ts'
import type { EventLog } from '../record/event-log.ts'
import { drawControlTiming } from './draw-control-timing.ts'
import { likelyJourneys, namedServices } from './likely-journeys.ts'

const TIMEOUT_MS = 20_000
const POLL_MS = 250
/** The longest delay of spans of failed requests. It is shorter than the time in which impact is found. */
const LATE_SIGNALS_MS = 500
/** The maximum number of unfinished requested runs of one journey. */
const MAX_JOURNEY_RUNS = 4

interface WaitOptions {
  /** Journeys that run in addition to the load. */
  readonly journeys: readonly string[]
  /** The minimum time between two requests for runs. */
  readonly everyMs: number
  readonly timeoutMs: number
  readonly endsWithImpact: boolean
}

const waitWithRuns = async (equipment: Equipment, log: EventLog, options: WaitOptions): Promise<boolean> => {
  const { time, users, nextChange, cluster } = equipment
  let deadline = time.precise() + options.timeoutMs
  let nextRequest = 0
  let isRolledOut = false
  for (;;) {
    const impact = findUserImpact(log.view)
    const now = time.precise()
    if ((impact.affected && options.endsWithImpact) || now >= deadline) {
      log.add({ type: 'user-impact-observed', ...impact })
      return impact.affected
    }
    if (!isRolledOut && impact.since !== undefined && log.at() - impact.since >= LATE_SIGNALS_MS) {
      isRolledOut = true
      deadline = now + options.timeoutMs
      // Requests to pods that were starting may have raised alerts, which are not an effect of the fault.
      cluster.telemetry?.renewAlerts()
    }
    if (now >= nextRequest) {
      for (const journey of options.journeys) users.runJourney(journey, MAX_JOURNEY_RUNS)
      nextRequest = now + options.everyMs
    }
    await nextChange(Math.min(deadline - now, POLL_MS))
  }
}

export const waitForImpact = async (
  equipment: Equipment,
  log: EventLog,
  { faults, seed }: Pick<Problem, 'faults' | 'seed'>,
): Promise<boolean> => {
  const { view, time } = equipment
  if (faults.length > 0) {
    const services = faults.flatMap(({ target }) => namedServices(view, target))
    const journeys = likelyJourneys(view, services)
    return waitWithRuns(equipment, log, { journeys, everyMs: 0, timeoutMs: TIMEOUT_MS, endsWithImpact: true })
  }
  const { quietMs, journeys, everyMs, waitMs } = drawControlTiming(view, equipment.faults, seed)
  await time.sleep(quietMs)
  return waitWithRuns(equipment, log, { journeys, everyMs, timeoutMs: waitMs, endsWithImpact: false })
}

export const impact = defineStage({
  name: 'impact',
  reads: ['equipment', 'problem', 'log', 'injection', 'waitsForImpact', 'secret'],
  after: ['inject'],
  async run({ equipment, problem, log, injection, waitsForImpact, secret }) {
    const { faults } = problem
    const seed = secret === undefined ? problem.seed : deriveSecret(secret, 'control')
    const isAffected = waitsForImpact && (await waitForImpact(equipment, log, { faults, seed }))
    injection.startSchedules()
    return isAffected
  },
})
