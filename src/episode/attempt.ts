/** One solver's attempt at a prepared problem, with a record of its own. */
import { judgeRecord } from '../oracles/index.ts'
import {
  type Briefing,
  type EpisodeEvent,
  NO_METRICS,
  type Problem,
  RemediumError,
  type Solver,
  toRemediumError,
  type Verdict,
} from '../spec/index.ts'
import { act } from './act.ts'
import { createEventLog, type EventLog, type EventSink } from './event-log.ts'
import type { Injection } from './inject.ts'
import type { LabCore } from './lab-core.ts'
import { verify } from './verify.ts'

export interface AttemptOptions {
  /** Gets every event as it comes, those of the preparation first. */
  readonly sink?: EventSink
}

export interface AttemptOutcome {
  readonly events: readonly EpisodeEvent[]
  readonly verdict: Verdict
}

export interface AttemptPlan {
  readonly problem: Problem
  readonly solver: Solver
  readonly briefing: Briefing
  readonly injection: Injection
  /** The preparation, with this solver's name in it. */
  readonly before: readonly EpisodeEvent[]
  readonly zero: number
  /** Of the clocks, when the preparation began. */
  readonly drift: number
}

const toVoid = ({ task }: Problem, { blame, message }: RemediumError): Verdict => ({
  task,
  outcome: 'void',
  blame,
  reason: message,
  judgements: [],
  damage: [],
  metrics: NO_METRICS,
})

/** Of the failures of others: nothing of them counts against the solver. */
const spoil = (log: EventLog, problem: Problem, thrown: unknown): Verdict => {
  const error = toRemediumError(thrown)
  try {
    log.add({ type: 'harness-failed', code: error.code, message: error.message, blame: error.blame })
  } catch {
    // The record itself may be what was lost.
  }
  return toVoid(problem, error)
}

/** Never rejects: what is nobody's fault here is a void verdict. */
export const attempt = async (
  core: LabCore,
  plan: AttemptPlan,
  { sink }: AttemptOptions = {},
): Promise<AttemptOutcome> => {
  const { problem, solver, briefing, injection, before, zero, drift } = plan
  const { view: system, faults, time } = core
  let isKept = true
  const log = createEventLog({
    system,
    faults,
    time,
    zero,
    drift,
    before,
    sink(event) {
      if (isKept) sink?.(event)
    },
  })
  core.log = log
  const judge = (): Verdict => judgeRecord(log.events, system, faults)
  try {
    if (core.failure !== undefined) throw core.failure
    await act(core, log, { solver, briefing, injection })
    await verify(core, log, problem, injection)
    const verdict = judge()
    log.add({ type: 'verdict-given', verdict })
    if (core.failure !== undefined) throw core.failure
    return { events: log.events, verdict }
  } catch (thrown) {
    const failure = core.failure ?? thrown
    if (failure instanceof RemediumError && failure.code === 'record-lost') isKept = false
    return { events: log.events, verdict: spoil(log, problem, failure) }
  }
}
