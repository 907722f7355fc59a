/** Stage 1: checks that the system is healthy, and records journeys, calls, alerts and objects before the fault. */
import { RemediumError, type TimeRange } from '#spec'
import { defineStage } from '../episode-context.ts'
import { addBaselineCalls } from '../laboratory/add-baseline-calls.ts'
import { countCalls } from '../laboratory/count-calls.ts'
import { findHealthProblem } from '../laboratory/find-health-problem.ts'
import { inspectContainers } from '../laboratory/inspect-containers.ts'
import { observeData } from '../laboratory/observe-data.ts'
import { observeProcesses } from '../laboratory/observe-processes.ts'

const CALLS_WINDOW_MS = 20_000
/** A longer window may include the time in which programs were still cold. */
const MAX_WINDOW_MS = 20_000

/** Throws if the system is not healthy. */
export const baseline = defineStage({
  name: 'baseline',
  reads: ['equipment', 'log'],
  async run({ equipment, log }): Promise<TimeRange> {
    const { cluster, journeys: tracker, objects, recorder, resets, time } = equipment
    const problem = findHealthProblem(equipment)
    if (problem !== undefined) throw new RemediumError('not-ready', problem, { blame: 'harness' })
    const journeys = tracker.healthy.toBaseline()
    const alerts = (await cluster.telemetry?.query.alerts({ active: true })) ?? []
    log.add({ type: 'baseline-taken', journeys, alerts })
    // Calls that already fail on the healthy system are not damage if they keep failing.
    const { edges } = await countCalls(equipment, Math.max(resets.at, time.precise() - CALLS_WINDOW_MS))
    log.add({ type: 'calls-observed', edges: addBaselineCalls(cluster, edges) })
    log.add({ type: 'objects-listed', objects: objects.list() })
    observeProcesses(equipment, log)
    inspectContainers(equipment, log)
    // From here on, the record receives journey runs and changes of objects.
    recorder.start(log)
    await observeData(equipment, log)
    const to = time.precise()
    return { from: Math.max(resets.at, to - MAX_WINDOW_MS), to }
  },
})
