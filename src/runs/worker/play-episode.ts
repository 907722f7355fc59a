/** One episode of an agent: prepared on a bench, played, judged, recorded. */
import { ACTIONS } from '../../aci/index.ts'
import type { Prepared } from '../../episode/index.ts'
import { preciseNow } from '../../kit/index.ts'
import type { ModelKeeper } from '../../models/index.ts'
import {
  type EpisodeEvent,
  type Fault,
  LABORATORY_PLAYBOOK,
  type ModelAnswer,
  RemediumError,
  type Solver,
} from '../../spec/index.ts'
import type { AgentJob } from '../play/agent-job.ts'
import { type FinishedEpisode, toEpisodeResult } from '../play/to-episode-result.ts'
import { keepRecord } from '../records/keep-record.ts'
import { longestWaitOf } from '../spans-of.ts'
import type { BenchKeeper } from './keep-bench.ts'
import { openSolver } from './open-solver.ts'
import { refuseUnfelt } from './refuse-unfelt.ts'
import type { JobContext } from './serve-jobs.ts'
import { whileAlive } from './while-alive.ts'

/** Beyond the agent's budget and what its faults take: to end it, and to judge it. */
const JUDGING_MS = 300_000

interface Attempt {
  readonly prepared: Prepared
  readonly solver: Solver
  readonly job: AgentJob
  readonly faults: ReadonlyMap<string, Fault>
  readonly signal: AbortSignal
  /** Told in a word or two. */
  onDoing(what: string): void
}

const ACTION_NAMES: ReadonlySet<string> = new Set([...ACTIONS.map(({ name }) => name), LABORATORY_PLAYBOOK])

/** Agents write what they like where a name is due, and this goes to a terminal. */
const toShownName = (action: string): string => (ACTION_NAMES.has(action) ? action : 'an unknown action')

const doingIn = (event: EpisodeEvent): string | undefined =>
  event.type === 'step-taken'
    ? toShownName(event.action)
    : event.type === 'model-called'
      ? event.model
      : event.type === 'solver-ended'
        ? 'is judged'
        : undefined

/** What models were paid for in vain: it is in no figure of the run, so it is told with the reason. */
const spentText = (events: readonly EpisodeEvent[]): string => {
  const answers = events.flatMap((event) => (event.type === 'model-called' ? [event.answer] : []))
  const sum = (of: (answer: ModelAnswer) => number): number =>
    answers.reduce((total, answer) => total + of(answer), 0)
  const [input, output] = [sum(({ usage }) => usage.input), sum(({ usage }) => usage.output)]
  if (input + output === 0) return ''
  const isPriced = answers.every(({ costUsd }) => costUsd !== undefined)
  const cost = isPriced ? `, $${sum(({ costUsd }) => costUsd!).toFixed(4)}` : ''
  return ` (until then: ${input} tokens in, ${output} out${cost})`
}

/** Rejects where it cannot be judged. */
const attempt = async (given: Attempt): Promise<FinishedEpisode> => {
  const { prepared, solver, job, faults, signal, onDoing } = given
  const record = keepRecord(job.record)
  const sink = (event: EpisodeEvent): void => {
    record.options.sink?.(event)
    const doing = doingIn(event)
    if (doing !== undefined) onDoing(doing)
  }
  try {
    const { events, verdict } = await prepared.attempt(solver, { sink })
    if (verdict.outcome === 'void') {
      const { reason, blame = 'harness' } = verdict
      const failure = events.findLast((event) => event.type === 'harness-failed')
      const message = `${reason}${spentText(events)}`
      throw new RemediumError((failure?.code ?? 'defect') as 'defect', message, { blame })
    }
    const result = toEpisodeResult(job.planned, events, faults)
    // Nobody waits for it any more, and somebody else may be at the same episode.
    signal.throwIfAborted()
    record.finish()
    return result
  } catch (error) {
    record.discard()
    throw error
  }
}

/** What a worker keeps from one episode to the next. */
interface WorkerTools {
  readonly benches: BenchKeeper
  readonly faults: ReadonlyMap<string, Fault>
  readonly models: ModelKeeper
}

export const playEpisode = async (
  job: AgentJob,
  { signal, stage, alive, ask, finished }: JobContext<FinishedEpisode>,
  { benches, faults, models }: WorkerTools,
): Promise<void> => {
  const { problem, planned, telemetry } = job
  const { bench, provision, restore } = await benches.ready({ problem, faults, telemetry, signal, stage })
  stage(`preparing ${problem.id}`)
  const began = preciseNow()
  const wait = longestWaitOf(problem)
  const prepared = await whileAlive(alive, wait, bench.lab.prepare(problem))
  refuseUnfelt(prepared)
  const prepare = Math.round(preciseNow() - began)
  benches.leave(prepared)
  const title = `${planned.contender.name} at ${problem.id}`
  stage(title)
  const { solver, close } = await openSolver(job, { prepared, cluster: bench.cluster, models, ask })
  try {
    const onDoing = (what: string): void => stage(`${title}: ${what}`)
    const most = problem.budget.seconds * 1000 + JUDGING_MS + wait
    const playing = attempt({ prepared, solver, job, faults, signal, onDoing })
    const result = await whileAlive(alive, most, playing)
    finished(planned.episode, { ...result, stages: { ...result.stages, provision, restore, prepare } })
  } finally {
    await close()
  }
}
