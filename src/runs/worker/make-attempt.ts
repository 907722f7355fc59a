/** One attempt at a prepared problem: by the solver that its name says, with a record, and what is kept of it. */
import {
  answerSolver,
  doNothing,
  type HackSolver,
  hackSolver,
  type Prepared,
  referenceSolver,
} from '../../episode/index.ts'
import { type Fault, type Hack, RemediumError, type Solver } from '../../spec/index.ts'
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

const ANSWERING: readonly string[] = ['detection', 'localisation', 'analysis']

const solverFor = (prepared: Prepared, name: string, tools: AttemptTools): Solver | HackSolver => {
  const { problem, core, faults } = prepared
  if (name === DO_NOTHING) return doNothing
  if (name === REFERENCE) return referenceSolver(prepared)
  const cheap = answerHacks(problem, core.view, tools.faults).find((hack) => `hack ${hack.name}` === name)
  if (cheap !== undefined) return answerSolver(cheap.answers, name)
  const found = findHack(name, problem, tools)
  if (found === undefined) throw new RemediumError('defect', `There is no attempt "${name}".`)
  const own = faults.find(({ index }) => index === found.index)
  return hackSolver(found.hack, { problem, core, faults: own === undefined ? [] : [own] })
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
  const { events, verdict } = await prepared.attempt(solver, record.options).catch((error) => {
    record.discard()
    throw error
  })
  const { outcome, blame, reason, damage } = verdict
  if (outcome === 'void') {
    record.discard()
    const failure = events.findLast((event) => event.type === 'harness-failed')
    throw new RemediumError((failure?.code ?? 'defect') as 'defect', reason, { blame: blame ?? 'harness' })
  }
  record.finish()
  const range = { from: began, to: Number.MAX_SAFE_INTEGER }
  const alerts = (await core.cluster.telemetry?.query.alerts({ range })) ?? []
  const isIdle = 'hasActed' in solver && !solver.hasActed
  const result: FinishedAttempt = {
    ...{ problem: problem.id, system: problem.system, task: problem.task, attempt: name, outcome, reason },
    // A hack that could do nothing here is whoever does nothing.
    expected: isIdle ? expectedOfNothing(problem) : expected,
    faults: problem.faults.map(({ fault }) => fault),
    ...(blame === undefined ? {} : { blame }),
    stages: stagesOf(events),
    felt: prepared.shown,
    alerts: alerts.map(({ name: rule, summary }) => `${rule}: ${summary}`),
    damage: damage.length,
  }
  return { result, leftAll: isIdle || name === DO_NOTHING || ANSWERING.includes(problem.task) }
}
