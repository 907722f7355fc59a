/** What a worker does: keeps a bench for as long as jobs are about the same system, and plays their episodes on it. */
import type { Prepared } from '../../episode/index.ts'
import { loadFaults } from '../../faults/index.ts'
import { COMMON_HACKS } from '../../hacks/index.ts'
import { lazily } from '../../kit/index.ts'
import { RemediumError } from '../../spec/index.ts'
import type { EpisodeJob, PlannedAttempt } from '../attempt.ts'
import { DO_NOTHING } from '../validity/plan-attempts.ts'
import { makeAttempt } from './make-attempt.ts'
import { type Bench, openBench } from './open-bench.ts'
import type { JobContext, JobServer } from './serve-jobs.ts'

/** Then the cluster has earned its rest: what its telemetry keeps grows. */
const MOST_PREPARATIONS = 60

const ANSWERING: readonly string[] = ['detection', 'localisation', 'analysis']

/** After it the next one can be made without preparing the problem again, unless that has healed meanwhile. */
const leavesAll = ({ problem }: EpisodeJob, { name }: PlannedAttempt): boolean =>
  (name === DO_NOTHING || ANSWERING.includes(problem.task)) &&
  problem.faults.every(({ shape }) => shape.kind !== 'transient')

const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const stop = (): void => reject(new RemediumError('interrupted', 'The worker was told to end.'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })

const refuseUnfelt = ({ shown, problem }: Prepared): void => {
  if (shown || problem.faults.length === 0) return
  const names = problem.faults.map(({ fault, target }) => `${fault} in ${target.service}`)
  throw new RemediumError('not-ready', `Users do not feel ${names.join(' and ')}.`, { blame: 'harness' })
}

export const createEpisodeServer = (): JobServer => {
  const loaded = lazily(loadFaults)
  let bench: Bench | undefined
  let preparations = 0

  const close = async (): Promise<void> => {
    const closing = bench
    bench = undefined
    preparations = 0
    await closing?.close()
  }
  const benchFor = async ({ problem }: EpisodeJob, { signal, stage }: JobContext): Promise<Bench> => {
    if (bench !== undefined && (bench.system !== problem.system || preparations >= MOST_PREPARATIONS))
      await close()
    const { system, seed } = problem
    bench ??= await openBench({ system, seed, faults: await loaded(), signal, stage })
    return bench
  }

  const play = async (job: EpisodeJob, context: JobContext): Promise<void> => {
    const { problem, attempts } = job
    const tools = { faults: await loaded(), commonHacks: COMMON_HACKS, records: job.records }
    let prepared: Prepared | undefined
    for (const attempt of attempts) {
      const { lab } = await benchFor(job, context)
      if (prepared === undefined) {
        preparations += 1
        context.stage(`preparing ${problem.id}`)
        prepared = await lab.prepare(problem)
        refuseUnfelt(prepared)
      }
      context.stage(`${problem.id}: ${attempt.name}`)
      context.finished(await makeAttempt(prepared, attempt, tools))
      if (leavesAll(job, attempt) && attempt !== attempts.at(-1)) continue
      context.stage(`restoring ${problem.system}`)
      await prepared.restore()
      prepared = undefined
    }
  }

  return {
    close,
    async run(job, context) {
      try {
        await Promise.race([play(job, context), whenAborted(context.signal)])
      } catch (error) {
        // Whatever state it is in: the next one begins on a fresh cluster.
        await close().catch(() => {})
        throw error
      }
    },
  }
}
