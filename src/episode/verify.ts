/** The stage that finds out what came of it: watches users, objects and causes until a verdict is decided. */
import { assess } from '../oracles/index.ts'
import { type Problem, RemediumError } from '../spec/index.ts'
import { watchMachine } from './busy-machine.ts'
import { countCalls } from './count-calls.ts'
import type { EventLog } from './event-log.ts'
import type { Injection } from './inject.ts'
import type { LabCore } from './lab-core.ts'

/** Then what is undecided is decided by what was seen; faults that come and go, or heal by themselves, take longer. */
const PATIENCE_MS = 60_000
const LOOK_AGAIN_MS = 150
const PROBE_AGAIN_MS = 1000
/** What does not answer, such as a program that was stopped, is asked again later. */
const PROBE_PATIENCE_MS = 5000
/** Of one journey at the same time and to come: more would let the others wait. */
const MOST_WALKS = 4

const probeCauses = async (
  { time }: LabCore,
  log: EventLog,
  { faults, contextOf }: Injection,
): Promise<void> => {
  for (const injected of faults) {
    const { fault, index, state, planned } = injected
    if (fault.probe === undefined || planned.shape.kind === 'transient') continue
    // What cannot be looked at now, such as a pod that is just made anew, may be soon.
    const context = contextOf(injected)
    const ending = new AbortController()
    const signal = AbortSignal.any([context.signal, ending.signal])
    const facts = await Promise.race([
      fault.probe({ ...context, signal }, state).catch(() => undefined),
      time.sleep(PROBE_PATIENCE_MS, signal).then(() => undefined),
    ])
    ending.abort(new Error('the time to look for a cause is over'))
    if (facts !== undefined) log.add({ type: 'cause-probed', index, facts })
  }
}

/** Who failed whom since `from`, and what is alerted of; gives the time until which that is. */
const observe = async (core: LabCore, log: EventLog, from: number): Promise<number> => {
  const { edges, to } = await countCalls(core, from)
  const alerts = (await core.cluster.telemetry?.query.alerts({ active: true })) ?? []
  log.add({ type: 'calls-observed', edges })
  log.add({ type: 'alerts-observed', alerts })
  return to
}

const longestShape = ({ faults }: Problem): number =>
  Math.max(
    0,
    ...faults.map(({ shape }) => {
      if (shape.kind === 'transient') return shape.forMs
      return shape.kind === 'intermittent' ? shape.onMs + shape.offMs : 0
    }),
  )

/** Nothing may be recorded between its end and the verdict. Rejects where users are slow on a machine that others keep busy. */
export const verify = async (
  core: LabCore,
  log: EventLog,
  problem: Problem,
  injection: Injection,
): Promise<void> => {
  const { time, cluster } = core
  const deadline = time.precise() + PATIENCE_MS + longestShape(problem)
  const machine = watchMachine(cluster.cpuTimes)
  let callsUntil = time.precise()
  let probed = Number.NEGATIVE_INFINITY
  for (;;) {
    if (time.precise() - probed >= PROBE_AGAIN_MS) {
      await probeCauses(core, log, injection)
      callsUntil = await observe(core, log, callsUntil)
      machine.look()
      probed = time.precise()
    }
    const { state, wanted, areUsersOnlySlow } = assess(log.view)
    if (state !== 'undecided' || time.precise() > deadline) {
      const busy = areUsersOnlySlow ? machine.told() : undefined
      if (busy !== undefined) throw new RemediumError('machine-busy', `Users are slow, but ${busy}.`)
      return
    }
    for (const [journey, walks] of wanted) core.users.walk(journey, Math.min(walks, MOST_WALKS))
    await core.news(LOOK_AGAIN_MS)
  }
}
