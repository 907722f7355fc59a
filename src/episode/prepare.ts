/** Brings a problem about: baseline, injection, until users feel it, report; and lets solvers try. */
import { deepEqual } from '../kit/index.ts'
import {
  EPISODE_SCHEMA,
  type EpisodeEvent,
  type LoadProfile,
  type Problem,
  type Solver,
  toRemediumError,
} from '../spec/index.ts'
import { type AttemptOptions, type AttemptOutcome, attempt } from './attempt.ts'
import { takeBaseline } from './baseline.ts'
import { createEventLog, driftOf, type EventLog } from './event-log.ts'
import { createInjection, type InjectedFault, type Injection } from './inject.ts'
import type { LabCore } from './lab-core.ts'
import { loadOf } from './laboratory.ts'
import { writeReport } from './report.ts'
import { resetSystem, restore } from './restore.ts'
import { waitUntilFelt } from './shown.ts'
import { warmUp } from './warm-up.ts'

export interface PrepareOptions {
  /** Whether to wait until users feel the fault; true where absent. For those who have seen that they do. */
  readonly patient?: boolean
}

/** A problem that is there, to be solved. */
export interface Prepared {
  readonly problem: Problem
  readonly core: LabCore
  /** Whether users feel it; false of controls, and where nobody waited for it. */
  readonly shown: boolean
  readonly report: string
  readonly faults: readonly InjectedFault[]
  /** Of the preparation so far. */
  readonly events: readonly EpisodeEvent[]
  readonly isRestored: boolean
  /** May be called again as long as the attempt before has changed nothing. */
  attempt(solver: Solver, options?: AttemptOptions): Promise<AttemptOutcome>
  /** The system as before; the next problem can be prepared. */
  restore(): Promise<void>
}

/** Longer ago programs may not have been warm yet. */
const LONGEST_CALM_MS = 20_000

/** Of what happens between attempts only what the next record must begin with is kept. */
const LASTING: readonly EpisodeEvent['type'][] = [
  'object-changed',
  'laboratory-acts',
  'fault-injected',
  'fault-recovered',
]

const nameSolver = (event: EpisodeEvent, solver: string): EpisodeEvent =>
  event.type === 'episode-began' ? { ...event, solver } : event

const begin = (core: LabCore, problem: Problem): EventLog => {
  const { view: system, faults, time, engine } = core
  const log = createEventLog({ system, faults, time, zero: time.precise() })
  log.add({
    type: 'episode-began',
    schema: EPISODE_SCHEMA,
    time: time.wall(),
    problem,
    solver: '',
    engine,
    load: core.users.load,
  })
  return log
}

/** A system that is not well gets a second chance. */
const beginHealthy = async (core: LabCore, problem: Problem): Promise<EventLog> => {
  const first = begin(core, problem)
  try {
    await takeBaseline(core, first)
    return first
  } catch {
    await resetSystem(core)
    await warmUp(core)
    const second = begin(core, problem)
    await takeBaseline(core, second)
    return second
  }
}

/** Whether its users come otherwise the longer they have been coming: each episode then has users of its own. */
const isOfItsTime = (load: LoadProfile): boolean =>
  load.loop === 'open' && ['ramp', 'spike', 'daily'].includes(load.arrivals.kind)

export const prepare = async (
  core: LabCore,
  problem: Problem,
  { patient = true }: PrepareOptions = {},
): Promise<Prepared> => {
  if (core.failure !== undefined) throw core.failure
  const load = problem.load ?? loadOf(core.system)
  if (!deepEqual(load, core.users.load) || isOfItsTime(load)) {
    await core.users.change(load)
    await warmUp(core)
  }
  const log = await beginHealthy(core, problem)
  const zero = core.time.precise() - log.at()
  const drift = driftOf(core.time)
  const to = core.time.precise()
  core.calm = { from: Math.max(core.resetAt, to - LONGEST_CALM_MS), to }
  core.log = log
  core.wellSince = undefined
  core.walks = []
  const injection = createInjection(core)
  try {
    await injection.begin(problem.faults)
    const shown = patient ? await waitUntilFelt(core, log, problem) : false
    injection.letTimePass()
    const report = await writeReport(core, log, problem)
    log.add({ type: 'report-given', kind: problem.report, text: report })
    if (core.failure !== undefined) throw core.failure
    return toPrepared({ core, problem, log, zero, drift, injection, shown, report })
  } catch (error) {
    // The next problem must find nothing of this one.
    await restore(core, injection).catch((cause) => {
      core.failure ??= toRemediumError(cause)
    })
    throw toRemediumError(error)
  }
}

interface Parts {
  readonly core: LabCore
  readonly problem: Problem
  readonly log: EventLog
  readonly zero: number
  readonly drift: number
  readonly injection: Injection
  readonly shown: boolean
  readonly report: string
}

const toPrepared = ({ core, problem, log, zero, drift, injection, shown, report }: Parts): Prepared => {
  let kept: readonly EpisodeEvent[] = log.events
  /** What has come in the last attempt and after it. */
  let sinceThen = (): readonly EpisodeEvent[] => []
  const soFar = (): readonly EpisodeEvent[] => [...kept, ...sinceThen()]
  /** When the first attempt began; what others took is cut out of the time of the later ones. */
  let firstBegan: number | undefined
  let isRestored = false
  let isTrusted = true
  const briefing = {
    task: problem.task,
    system: problem.system,
    namespace: core.view.namespace,
    report: { kind: problem.report, text: report },
    budget: problem.budget,
  }
  return {
    problem,
    core,
    shown,
    report,
    faults: injection.faults,
    get events() {
      return soFar()
    },
    get isRestored() {
      return isRestored
    },
    async attempt(solver, options) {
      const now = core.time.precise()
      const began = firstBegan ?? now
      firstBegan = began
      kept = soFar()
      sinceThen = () => []
      isTrusted &&= solver.isTrusted === true
      const before = kept.map((event) => nameSolver(event, solver.name))
      const outcome = await attempt(
        core,
        { problem, solver, briefing, injection, before, drift, zero: zero + (now - began) },
        options,
      )
      // Read when somebody asks: a fault that comes and goes does so between attempts, too.
      sinceThen = () =>
        outcome.events
          .slice(before.length)
          .filter(({ type }) => LASTING.includes(type))
          .map((event) => ({ ...event, at: began - zero }))
      return outcome
    },
    async restore() {
      await restore(core, injection, isTrusted)
      isRestored = true
    },
  }
}
