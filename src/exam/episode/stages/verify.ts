/** Stage 6: watches users, objects and causes until the oracles can decide. */
import { assess } from '#exam/oracles'
import { RemediumError, scheduleTimeOf } from '#spec'
import { defineStage, type EpisodeContext } from '../episode-context.ts'
import { countCalls } from '../laboratory/count-calls.ts'
import type { Equipment } from '../laboratory/equipment.ts'
import { inspectContainers } from '../laboratory/inspect-containers.ts'
import { observeData, observeUnanswered } from '../laboratory/observe-data.ts'
import { observeProcesses } from '../laboratory/observe-processes.ts'
import { watchMachine } from '../laboratory/watch-machine.ts'
import type { EventLog } from '../record/event-log.ts'
import { probeCause } from './probe-cause.ts'

/** After this time, plus the longest schedule of a fault, the verdict is based on the observations so far. */
const TIMEOUT_MS = 60_000
const POLL_MS = 150
const PROBE_INTERVAL_MS = 1000
/** The maximum number of unfinished runs of one journey; more would delay the others. */
const MAX_JOURNEY_RUNS = 4

type Context = Pick<EpisodeContext, 'equipment' | 'log' | 'injection' | 'inject'>

const probeCauses = async (context: Context): Promise<void> => {
  for (const injected of context.inject)
    if (injected.fault.probe !== undefined && injected.planned.shape.kind !== 'transient')
      await probeCause(context, injected)
}

/** Records calls since `from`, alerts and processes; returns the time up to which calls were counted. */
const observe = async (equipment: Equipment, log: EventLog, from: number): Promise<number> => {
  const { edges, to } = await countCalls(equipment, from)
  const alerts = (await equipment.cluster.telemetry?.query.alerts({ active: true })) ?? []
  log.add({ type: 'calls-observed', edges })
  log.add({ type: 'alerts-observed', alerts })
  observeProcesses(equipment, log)
  return to
}

/**
 * The verdict must be the next event. Throws if the only problem is that users are
 * slow, and other processes keep the machine busy.
 */
export const verify = defineStage({
  name: 'verify',
  reads: ['equipment', 'problem', 'log', 'injection', 'solver', 'inject'],
  after: ['solve'],
  async run({ equipment, problem, log, injection, solver, inject }) {
    const { time, cluster, users, nextChange } = equipment
    const deadline = time.precise() + TIMEOUT_MS + scheduleTimeOf(problem)
    // Runs that cannot count take most of the time of an attempt on a simulated cluster. On others, they take no extra time.
    const isSimulated = cluster.clock !== undefined
    const machine = watchMachine(cluster.cpuTimes)
    await observeData(equipment, log)
    let callsUntil = time.precise()
    let probedAt = Number.NEGATIVE_INFINITY
    for (;;) {
      if (time.precise() - probedAt >= PROBE_INTERVAL_MS) {
        await probeCauses({ equipment, log, injection, inject })
        callsUntil = await observe(equipment, log, callsUntil)
        await observeUnanswered(equipment, log)
        inspectContainers(equipment, log, solver.isTrusted)
        machine.sample()
        probedAt = time.precise()
      }
      const { state, missingRuns, areRunsPremature, areUsersOnlySlow } = assess(log.view)
      if (state !== 'undecided' || time.precise() > deadline) {
        const busy = areUsersOnlySlow ? machine.describeOthers() : undefined
        if (busy !== undefined) throw new RemediumError('machine-busy', `Users are slow, but ${busy}.`)
        return undefined
      }
      if (!areRunsPremature || !isSimulated)
        for (const [journey, runs] of missingRuns) users.runJourney(journey, Math.min(runs, MAX_JOURNEY_RUNS))
      await nextChange(POLL_MS)
    }
  },
})
