/** Stage 1: checks that the system is healthy, and records journeys, calls, alerts and objects before the fault. */
import { type JourneyBaseline, RemediumError, type TimeRange } from '#spec'
import { defineStage } from '../episode-context.ts'
import { countCalls } from '../laboratory/count-calls.ts'
import type { Equipment } from '../laboratory/equipment.ts'
import { observeProcesses } from '../laboratory/observe-processes.ts'
import { addUsualCalls } from '../laboratory/usual-calls.ts'

const MAX_FAILED_SHARE = 0.05
const CALLS_WINDOW_MS = 20_000
/** Before that, programs may still have been cold. */
const MAX_WINDOW_MS = 20_000

const checkHealth = ({ view }: Equipment, journeys: readonly JourneyBaseline[]): void => {
  const missing = view.journeys.find(({ name }) => !journeys.some(({ journey }) => journey === name))
  const unhealthy = journeys.find(({ runs, failures }) => failures > Math.max(1, runs * MAX_FAILED_SHARE))
  if (missing !== undefined || unhealthy !== undefined)
    throw new RemediumError(
      'not-ready',
      missing === undefined
        ? `${view.name} is not healthy without a fault: ${unhealthy!.failures} of ${unhealthy!.runs} runs of ${unhealthy!.journey} failed.`
        : `${view.name} has no baseline: the journey ${missing.name} never ran.`,
      { blame: 'harness' },
    )
}

/** Throws if the system is not healthy. */
export const baseline = defineStage({
  name: 'baseline',
  reads: ['equipment', 'log'],
  async run({ equipment, log }): Promise<TimeRange> {
    const { cluster, journeys: tracker, objects, resets, time } = equipment
    const journeys = tracker.healthy.toBaseline()
    checkHealth(equipment, journeys)
    const alerts = (await cluster.telemetry?.query.alerts({ active: true })) ?? []
    log.add({ type: 'baseline-taken', journeys, alerts })
    // Calls that fail on a healthy system may keep failing.
    const { edges } = await countCalls(equipment, Math.max(resets.at, time.precise() - CALLS_WINDOW_MS))
    log.add({ type: 'calls-observed', edges: addUsualCalls(cluster, edges) })
    log.add({ type: 'objects-listed', objects: objects.list() })
    observeProcesses(equipment, log)
    const to = time.precise()
    return { from: Math.max(resets.at, to - MAX_WINDOW_MS), to }
  },
})
