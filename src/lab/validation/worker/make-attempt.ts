/** Makes one attempt of a validation on a prepared incident. */
import {
  type AttemptOutcome,
  answerSolver,
  type Incident,
  idleSolver,
  type RepairSolver,
  referenceSolver,
  repairSolver,
} from '#exam/episode'
import type { RightRepair } from '#exam/right-repairs'
import { defined } from '#kit'
import { keepRecord, recordPathOf, stageTimesOf } from '#lab/records'
import {
  type Fault,
  type Hack,
  inTimeOf,
  isUnsupported,
  type Problem,
  RemediumError,
  type Solver,
  taskOf,
} from '#spec'
import { answerHacks } from '../answer-hacks.ts'
import { attemptMetricsOf, type FinishedAttempt, type PlannedAttempt } from '../attempt.ts'
import {
  DO_NOTHING,
  expectedOfDoingNothing,
  findHack,
  findRepair,
  isHack,
  REFERENCE,
} from '../plan-attempts.ts'

export interface AttemptTools {
  readonly faults: ReadonlyMap<string, Fault>
  readonly commonHacks: readonly Hack[]
  readonly rightRepairs?: readonly RightRepair[]
  /** The folder for records. */
  readonly records: string | undefined
}

export interface MadeAttempt {
  readonly result: FinishedAttempt
  /** Whether the system is unchanged, so that the next attempt can use the same incident. */
  readonly leftUnchanged: boolean
}

const solverFor = (incident: Incident, name: string, tools: AttemptTools): Solver | RepairSolver => {
  const { problem, system } = incident
  if (name === DO_NOTHING) return idleSolver(incident)
  if (name === REFERENCE) return referenceSolver(incident)
  const answer = answerHacks(problem, system, tools.faults).find((hack) => `hack ${hack.name}` === name)
  if (answer !== undefined) return answerSolver(answer.answers, name)
  const repair = findRepair(name, tools)
  if (repair !== undefined) return repairSolver(repair, incident, { name })
  const found = findHack(name, problem, tools)
  if (found === undefined) throw new RemediumError('defect', `There is no attempt "${name}".`)
  return repairSolver(found.hack, incident, { index: found.index, name })
}

const isRepairSolver = (solver: Solver | RepairSolver): solver is RepairSolver => 'hasActed' in solver

/** A hack that found nothing to do is equivalent to doing nothing, or to the right repair that it made first. */
const expectedOf = (
  { name, expected }: PlannedAttempt,
  solver: Solver | RepairSolver,
  problem: Problem,
): PlannedAttempt['expected'] => {
  if (!isHack({ name }) || !isRepairSolver(solver) || solver.hasActed) return expected
  return solver.actsAfterRepair ? 'resolved' : expectedOfDoingNothing(problem)
}

/**
 * Returns an error if the attempt proves nothing and must be tried again: it is void, or it is a hack that was interrupted. An
 * unsupported attempt is also void, but a retry would have the same result.
 */
const findFailure = (
  solver: Solver | RepairSolver,
  { events, verdict }: AttemptOutcome,
): RemediumError | undefined => {
  const { outcome, code = 'defect', reason, blame = 'harness' } = verdict
  if (isUnsupported(verdict)) return undefined
  if (outcome === 'void') return new RemediumError(code as 'defect', reason, { blame })
  const end = events.findLast((event) => event.type === 'solver-ended')
  if (!isRepairSolver(solver) || end === undefined || end.outcome === 'submitted') return undefined
  return new RemediumError('defect', `The ${solver.name} was interrupted: ${end.reason ?? end.outcome}.`)
}

/**
 * Runs the solver and keeps the record. Rejects if the attempt proves nothing; the process of the validation then ends and keeps
 * the record.
 */
const playSolver = async (
  incident: Incident,
  solver: Solver | RepairSolver,
  records: string | undefined,
): Promise<AttemptOutcome> => {
  const path = records === undefined ? undefined : recordPathOf(records, incident.problem.id, solver.name)
  const record = keepRecord(path)
  try {
    const outcome = await incident.attempt(solver, { sink: record.sink })
    const error = findFailure(solver, outcome)
    if (error !== undefined) throw error
    if (outcome.verdict.outcome === 'void') record.finishVoid()
    else record.finish()
    return outcome
  } finally {
    record.leave()
  }
}

/** Rejects if the attempt is void but not unsupported, or if a hack was interrupted. */
export const makeAttempt = async (
  incident: Incident,
  planned: PlannedAttempt,
  tools: AttemptTools,
): Promise<MadeAttempt> => {
  const { name } = planned
  const { problem, cluster, hasImpact } = incident
  const solver = solverFor(incident, name, tools)
  const started = incident.events.find((event) => event.type === 'episode-started')!
  // Alerts from before the baseline are not an effect of the problem.
  const from = started.time + (incident.events.find(({ type }) => type === 'baseline-taken')?.at ?? 0)
  const { events, verdict } = await playSolver(incident, solver, tools.records)
  const { outcome, blame, code, reason, damage } = verdict
  const range = { from, to: Number.MAX_SAFE_INTEGER }
  const alerts = await inTimeOf(cluster, async () => (await cluster.telemetry?.query.alerts({ range })) ?? [])
  const isIdle = isRepairSolver(solver) && !solver.hasActed
  const result: FinishedAttempt = {
    problem: problem.id,
    system: problem.system,
    task: problem.task,
    attempt: name,
    outcome,
    reason,
    expected: expectedOf(planned, solver, problem),
    faults: problem.faults.map(({ fault }) => fault),
    ...defined({ blame, code, metrics: attemptMetricsOf(verdict) }),
    stages: stageTimesOf(events),
    hasImpact,
    alerts: alerts.map(({ name: rule, summary }) => `${rule}: ${summary}`),
    damage: damage.length,
    ...(isIdle && isHack(planned) && solver.actsAfterRepair ? { isIdle } : {}),
  }
  const leftUnchanged =
    (isIdle && !solver.repairsFaults) || name === DO_NOTHING || !taskOf(problem.task).repairs
  return { result, leftUnchanged }
}
