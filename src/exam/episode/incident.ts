/** An incident: a problem prepared on a cluster, on which solvers make attempts. */

import { findVoidReason, judgeRecord } from '#exam/oracles'
import { deepEqual, defined } from '#kit'
import {
  type EngineCluster,
  type EpisodeEvent,
  type LoadProfile,
  type Problem,
  type Solver,
  type SystemView,
  toRemediumError,
  type Verdict,
} from '#spec'
import { checkAfterVerdict, type FurtherCheck } from './check-after-verdict.ts'
import type { Equipment } from './laboratory/equipment.ts'
import { findHealthProblem } from './laboratory/find-health-problem.ts'
import { loadOf } from './laboratory/load-of.ts'
import { warmUp } from './laboratory/warm-up.ts'
import { withDrawnReleases } from './laboratory/with-drawn-releases.ts'
import { createEventLog, driftOf, type EventLog, type EventSink } from './record/event-log.ts'
import { startEventOf } from './record/fail-record.ts'
import type { InjectedFault } from './stages/fault-switch.ts'
import { createInjection } from './stages/injection.ts'
import { ATTEMPT, PREPARATION, type PreparationInputs, type PreparedContext, RESTORATION } from './stages.ts'

export interface PrepareOptions {
  /** Whether to wait until users are affected; true by default. */
  readonly waitsForImpact?: boolean
  /** Draws details that the problem does not determine, such as the tags of bad releases; without a secret they are fixed. */
  readonly secret?: string
}

export interface AttemptOptions {
  /** Receives every event, those of the preparation first. */
  readonly sink?: EventSink | undefined
  /** Performed and recorded after the verdict, which does not depend on it; none by default. */
  readonly furtherCheck?: FurtherCheck | undefined
}

export interface AttemptOutcome {
  readonly events: readonly EpisodeEvent[]
  readonly verdict: Verdict
}

export interface Incident {
  readonly problem: Problem
  readonly system: SystemView
  readonly cluster: EngineCluster
  /** Whether users are affected; false for controls, and if the wait was skipped. */
  readonly hasImpact: boolean
  readonly faults: readonly InjectedFault[]
  /** The record so far: the preparation, and lasting changes since. */
  readonly events: readonly EpisodeEvent[]
  readonly isRestored: boolean
  /**
   * Runs a solver. Never rejects: a failure that the solver did not cause yields a void verdict. Can be called again if
   * earlier attempts have changed nothing.
   */
  attempt(solver: Solver, options?: AttemptOptions): Promise<AttemptOutcome>
  /** Returns the system to its baseline, so that the next problem can be prepared. */
  restore(): Promise<void>
}

/** Events since the start of an attempt that the records of later attempts need. */
const LASTING_EVENTS: readonly EpisodeEvent['type'][] = [
  'object-changed',
  'fault-change-started',
  'fault-injected',
  'fault-recovered',
]

const startRecord = (
  { system, view, faults, time, engine }: Equipment,
  problem: Problem,
  secret: string | undefined,
): EventLog => {
  const log = createEventLog({ system: view, faults, time, zero: time.precise() })
  log.add(startEventOf({ problem, solver: '', engine, time: time.wall(), secret }, system))
  return log
}

/** Whether the load depends on the time since its start, so that each episode needs new users. */
const dependsOnStart = (load: LoadProfile): boolean =>
  load.loop === 'open' && ['ramp', 'spike', 'daily'].includes(load.arrivals.kind)

const adjustLoad = async (equipment: Equipment, problem: Problem): Promise<void> => {
  const load = problem.load ?? loadOf(equipment.system)
  if (deepEqual(load, equipment.users.load) && !dependsOnStart(load)) return
  await equipment.users.change(load)
  await warmUp(equipment)
}

/**
 * Resets a system that is not healthy. The episode before it was restored, and its system was healthy then. A cluster of real
 * processes can degrade on its own while it waits for the next episode: a container is killed for lack of memory, or other
 * processes delay probes. A reset takes seconds, another cluster minutes. If the reset does not help, the stage `baseline`
 * fails, the episode is void, and the worker opens another cluster.
 */
const ensureHealthy = async (equipment: Equipment): Promise<void> => {
  if (findHealthProblem(equipment) === undefined) return
  await equipment.resets.reset()
  await warmUp(equipment)
}

const recordFailure = (log: EventLog, thrown: unknown): void => {
  const { code, message, blame } = toRemediumError(thrown)
  try {
    log.add({ type: 'harness-failed', code, message, blame })
  } catch {
    // The record itself may have failed; the event is kept in memory.
  }
}

/** Rejects only if the laboratory is unusable. An incident whose preparation failed yields void verdicts. */
export const prepareIncident = async (
  shared: Equipment,
  problem: Problem,
  options: PrepareOptions = {},
): Promise<Incident> => {
  shared.failure.throwIfSet()
  const equipment = withDrawnReleases(shared, options.secret)
  const { waitsForImpact = true, secret } = options
  const log = startRecord(equipment, problem, secret)
  const injection = createInjection(equipment)
  const inputs = { equipment, problem, log, injection, waitsForImpact, ...defined({ secret }) }
  try {
    await adjustLoad(equipment, problem)
    await ensureHealthy(equipment)
    const prepared = await PREPARATION.run(inputs)
    equipment.failure.throwIfSet()
    return createIncident(inputs, prepared)
  } catch (error) {
    recordFailure(log, equipment.failure.current ?? error)
    return createIncident(inputs, undefined)
  }
}

const withSolver = (event: EpisodeEvent, solver: string): EpisodeEvent =>
  event.type === 'episode-started' ? { ...event, solver } : event

interface AttemptStart {
  /** Undefined if the preparation failed. */
  readonly prepared: PreparedContext | undefined
  readonly before: readonly EpisodeEvent[]
  readonly zero: number
  readonly drift: number
}

/** Runs the stages of an attempt with a separate record, and judges that record. */
const runAttempt = async (
  { equipment, problem }: PreparationInputs,
  solver: Solver,
  { prepared, before, zero, drift }: AttemptStart,
  { sink, furtherCheck }: AttemptOptions,
): Promise<AttemptOutcome> => {
  const { view: system, faults, time, failure, recorder } = equipment
  const log = createEventLog({ system, faults, time, zero, drift, before, sink })
  const addVerdict = (): AttemptOutcome => {
    const verdict = judgeRecord(log.events, system, faults)
    log.add({ type: 'verdict-given', verdict })
    return { events: log.events, verdict }
  }
  recorder.start(log)
  try {
    failure.throwIfSet()
    if (prepared !== undefined && findVoidReason(log.view) === undefined)
      await ATTEMPT.run({ ...prepared, log, solver })
    const outcome = addVerdict()
    failure.throwIfSet()
    if (furtherCheck !== undefined && outcome.verdict.outcome !== 'void')
      await checkAfterVerdict(equipment, problem, log, furtherCheck)
    return outcome
  } catch (thrown) {
    recordFailure(log, failure.current ?? thrown)
    try {
      return addVerdict()
    } catch {
      // The sink no longer accepts events; those in memory are complete.
      return { events: log.events, verdict: judgeRecord(log.events, system, faults) }
    }
  }
}

/** `prepared` is undefined if the preparation failed, which the record then contains. */
const createIncident = (inputs: PreparationInputs, prepared: PreparedContext | undefined): Incident => {
  const { equipment, problem, log, injection } = inputs
  const { view: system, cluster, time } = equipment
  const zero = time.precise() - log.at()
  const drift = driftOf(time)
  let recorded: readonly EpisodeEvent[] = log.events
  /** Lasting events since the start of the last attempt. Read lazily, because scheduled faults also change between attempts. */
  let lasting = (): readonly EpisodeEvent[] => []
  const eventsSoFar = (): readonly EpisodeEvent[] => [...recorded, ...lasting()]
  /** The start of the first attempt. Records of later attempts leave out the duration of the earlier ones. */
  let firstStart: number | undefined
  let isRestored = false
  let isTrusted = true
  return {
    problem,
    system,
    cluster,
    hasImpact: prepared?.impact ?? false,
    faults: injection.faults,
    get events() {
      return eventsSoFar()
    },
    get isRestored() {
      return isRestored
    },
    async attempt(solver, options = {}) {
      const now = time.precise()
      firstStart ??= now
      const startedAt = firstStart
      recorded = eventsSoFar()
      lasting = () => []
      isTrusted &&= solver.isTrusted === true
      const before = recorded.map((event) => withSolver(event, solver.name))
      const start = { prepared, before, drift, zero: zero + (now - startedAt) }
      const outcome = await time.run(() => runAttempt(inputs, solver, start, options))
      lasting = () =>
        outcome.events
          .slice(before.length)
          .filter(({ type }) => LASTING_EVENTS.includes(type))
          .map((event) => ({ ...event, at: startedAt - zero }))
      return outcome
    },
    async restore() {
      await time.run(() => RESTORATION.run({ equipment, injection, isTrusted }))
      isRestored = true
    },
  }
}
