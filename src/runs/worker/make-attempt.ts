/** One attempt at a prepared problem: by the solver that its name says, with a record, and what is kept of it. */
import {
  type AttemptOutcome,
  answerSolver,
  type HackSolver,
  hackSolver,
  idleSolver,
  type Prepared,
  referenceSolver,
} from '../../episode/index.ts'
import { type Fault, type Hack, isReadOnlyTask, RemediumError, type Solver } from '../../spec/index.ts'
import type { FinishedAttempt, PlannedAttempt } from '../attempt.ts'
import { keepRecord } from '../records/keep-record.ts'
import { recordPathOf } from '../records/record-path.ts'
import { stagesOf } from '../stages.ts'
import { answerHacks } from '../validity/answer-hacks.ts'
import { DO_NOTHING, expectedOfNothing, findHack, REFERENCE } from '../validity/plan-attempts.ts'

export interface AttemptTools {
  readonly faults: ReadonlyMap<string, Fault>
  readonly commonHacks: readonly Hack[]
  /** The folder for records. */
  readonly records: string | undefined
}

/** What came of an attempt, and whether it has left everything as it was. */
export interface MadeAttempt {
  readonly result: FinishedAttempt
  readonly leftAll: boolean
}

const solverFor = (prepared: Prepared, name: string, tools: AttemptTools): Solver | HackSolver => {
  const { problem, core } = prepared
  if (name === DO_NOTHING) return idleSolver(prepared)
  if (name === REFERENCE) return referenceSolver(prepared)
  const cheap = answerHacks(problem, core.view, tools.faults).find((hack) => `hack ${hack.name}` === name)
  if (cheap !== undefined) return answerSolver(cheap.answers, name)
  const found = findHack(name, problem, tools)
  if (found === undefined) throw new RemediumError('defect', `There is no attempt "${name}".`)
  return hackSolver(found.hack, prepared, { index: found.index, name })
}

const isHackSolver = (solver: Solver | HackSolver): solver is HackSolver => 'hasActed' in solver

/** Why it proves nothing: it cannot be judged, or it is a hack that has not come to its end. */
const spoiltBy = (
  solver: Solver | HackSolver,
  { events, verdict: { outcome, reason, blame } }: AttemptOutcome,
): RemediumError | undefined => {
  if (outcome === 'void') {
    const failure = events.findLast((event) => event.type === 'harness-failed')
    return new RemediumError((failure?.code ?? 'defect') as 'defect', reason, { blame: blame ?? 'harness' })
  }
  const end = events.findLast((event) => event.type === 'solver-ended')
  if (!isHackSolver(solver) || end === undefined || end.outcome === 'submitted') return undefined
  const why = end.reason ?? end.outcome
  return new RemediumError('defect', `The ${solver.name} could not be played to its end: ${why}.`)
}

/** Rejects where it cannot be judged, which is the harness's fault. */
export const makeAttempt = async (
  prepared: Prepared,
  { name, expected }: PlannedAttempt,
  tools: AttemptTools,
): Promise<MadeAttempt> => {
  const { problem, core } = prepared
  const solver = solverFor(prepared, name, tools)
  const began = prepared.events.find((event) => event.type === 'episode-began')!.time
  const { records } = tools
  const record = keepRecord(records === undefined ? undefined : recordPathOf(records, problem.id, name))
  const made = await prepared.attempt(solver, record.options).catch((error) => {
    record.discard()
    throw error
  })
  const spoilt = spoiltBy(solver, made)
  if (spoilt !== undefined) {
    record.discard()
    throw spoilt
  }
  record.finish()
  const { outcome, blame, reason, damage } = made.verdict
  const range = { from: began, to: Number.MAX_SAFE_INTEGER }
  const alerts = (await core.cluster.telemetry?.query.alerts({ range })) ?? []
  const isIdle = isHackSolver(solver) && !solver.hasActed
  const result: FinishedAttempt = {
    problem: problem.id,
    system: problem.system,
    task: problem.task,
    attempt: name,
    outcome,
    reason,
    // A hack that could do nothing here is whoever does nothing.
    expected: isIdle ? expectedOfNothing(problem) : expected,
    faults: problem.faults.map(({ fault }) => fault),
    ...(blame === undefined ? {} : { blame }),
    stages: stagesOf(made.events),
    felt: prepared.shown,
    alerts: alerts.map(({ name: rule, summary }) => `${rule}: ${summary}`),
    damage: damage.length,
  }
  const leftAll = (isIdle && !solver.hasMended) || name === DO_NOTHING || isReadOnlyTask(problem.task)
  return { result, leftAll }
}
