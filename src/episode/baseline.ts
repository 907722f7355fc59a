/** The stage before the fault: that all is well, how users fare, and which objects there are. */
import { type JourneyBaseline, RemediumError } from '../spec/index.ts'
import { countCalls } from './count-calls.ts'
import type { EventLog } from './event-log.ts'
import type { LabCore } from './lab-core.ts'
import { rememberCalls } from './usual-calls.ts'

/** Of the walks that are remembered. */
const MOST_FAILURES = 0.05
/** So far back calls are counted. */
const USUAL_MS = 20_000

const checkHealth = (core: LabCore, journeys: readonly JourneyBaseline[]): void => {
  const missing = core.view.journeys.find(({ name }) => !journeys.some(({ journey }) => journey === name))
  const worst = journeys.find(({ walks, failures }) => failures > Math.max(1, walks * MOST_FAILURES))
  if (missing !== undefined || worst !== undefined)
    throw new RemediumError(
      'not-ready',
      missing === undefined
        ? `${core.view.name} is not healthy without a fault: of ${worst!.walks} walks of ${worst!.journey} ${worst!.failures} failed.`
        : `${core.view.name} was not seen healthy: ${missing.name} was never walked.`,
      { blame: 'harness' },
    )
}

/** Throws where the system is not healthy. */
export const takeBaseline = async (core: LabCore, log: EventLog): Promise<void> => {
  const journeys = core.healthy.toBaseline()
  checkHealth(core, journeys)
  const alerts = (await core.cluster.telemetry?.query.alerts({ active: true })) ?? []
  log.add({ type: 'baseline-taken', journeys, alerts })
  // What fails some of its calls while all is well may go on to do so.
  const { edges } = await countCalls(core, Math.max(core.resetAt, core.time.precise() - USUAL_MS))
  log.add({ type: 'calls-observed', edges: rememberCalls(core.cluster, edges) })
  log.add({ type: 'objects-listed', objects: core.objects.list() })
}
