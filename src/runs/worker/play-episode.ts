/** One episode of an agent: prepared on a bench, played, judged, recorded. */
import type { Prepared } from '../../episode/index.ts'
import { createRealClock, preciseNow } from '../../kit/index.ts'
import { type Fault, RemediumError, type Solver } from '../../spec/index.ts'
import type { AgentJob } from '../play/agent-job.ts'
import { type FinishedEpisode, toEpisodeResult } from '../play/to-episode-result.ts'
import { keepRecord } from '../records/keep-record.ts'
import type { BenchKeeper } from './keep-bench.ts'
import { refuseUnfelt } from './refuse-unfelt.ts'
import type { JobContext } from './serve-jobs.ts'
import { solverOf } from './solver-of.ts'

/** More often than anybody waits for a sign of life: models may think for minutes. */
const ALIVE_MS = 15_000

/** The budget ends it in any case. */
const whileAlive = async <T>(alive: () => void, work: Promise<T>): Promise<T> => {
  const clock = createRealClock()
  let timer = clock.after(ALIVE_MS, function again() {
    alive()
    timer = clock.after(ALIVE_MS, again)
  })
  return work.finally(() => timer.cancel())
}

interface Attempt {
  readonly prepared: Prepared
  readonly solver: Solver
  readonly job: AgentJob
  readonly faults: ReadonlyMap<string, Fault>
  readonly signal: AbortSignal
}

/** Rejects where it cannot be judged. */
const attempt = async ({ prepared, solver, job, faults, signal }: Attempt): Promise<FinishedEpisode> => {
  const record = keepRecord(job.record)
  try {
    const { events, verdict } = await prepared.attempt(solver, record.options)
    if (verdict.outcome === 'void') {
      const { reason, blame = 'harness' } = verdict
      const failure = events.findLast((event) => event.type === 'harness-failed')
      throw new RemediumError((failure?.code ?? 'defect') as 'defect', reason, { blame })
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

export const playEpisode = async (
  job: AgentJob,
  { signal, stage, alive, ask, finished }: JobContext<FinishedEpisode>,
  { benches, faults }: { benches: BenchKeeper; faults: ReadonlyMap<string, Fault> },
): Promise<void> => {
  const { problem, planned, telemetry } = job
  const { bench, provision, restore } = await benches.ready({ problem, faults, telemetry, signal, stage })
  stage(`preparing ${problem.id}`)
  const began = preciseNow()
  const prepared = await bench.lab.prepare(problem)
  refuseUnfelt(prepared)
  const prepare = Math.round(preciseNow() - began)
  const solver = await solverOf(job, { prepared, cluster: bench.cluster, stage, ask })
  stage(`${planned.contender.name} at ${problem.id}`)
  try {
    const result = await whileAlive(alive, attempt({ prepared, solver, job, faults, signal }))
    finished(planned.episode, { ...result, stages: { ...result.stages, provision, restore, prepare } })
  } finally {
    benches.leave(prepared)
  }
}
