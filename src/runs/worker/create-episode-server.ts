/** What a worker does: keeps a bench for as long as jobs are about the same system, and plays their episodes on it. */
import type { Prepared } from '../../episode/index.ts'
import { loadFaults } from '../../faults/index.ts'
import { COMMON_HACKS } from '../../hacks/index.ts'
import { lazily } from '../../kit/index.ts'
import { type Problem, RemediumError } from '../../spec/index.ts'
import type { EpisodeJob } from '../attempt.ts'
import { isHack } from '../validity/plan-attempts.ts'
import { makeAttempt } from './make-attempt.ts'
import { type Bench, openBench } from './open-bench.ts'
import type { JobContext, JobServer } from './serve-jobs.ts'

/** Then the cluster has earned its rest: what its telemetry keeps grows. */
const MOST_PREPARATIONS = 120

/** Whether it is still there however long somebody tries, so that the next one can try the same preparation. */
const isLasting = ({ faults }: Problem): boolean => faults.every(({ shape }) => shape.kind !== 'transient')

const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const stop = (): void => reject(new RemediumError('interrupted', 'The worker was told to end.'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })

const refuseUnfelt = ({ shown, problem }: Prepared): void => {
  if (shown || problem.faults.length === 0) return
  const names = problem.faults.map(({ fault, target }) => `${fault} in ${target.service}`)
  throw new RemediumError('not-felt', `Users do not feel ${names.join(' and ')}.`)
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
    let isProven = false
    for (const attempt of attempts) {
      if (prepared === undefined) {
        const { lab } = await benchFor(job, context)
        preparations += 1
        context.stage(`preparing ${problem.id}`)
        // A hack need not be shown once more what users were seen to feel: it must fail anyway.
        const patient = !(isProven && isHack(attempt))
        prepared = await lab.prepare(problem, { patient })
        if (patient) refuseUnfelt(prepared)
        isProven = true
      }
      context.stage(`${problem.id}: ${attempt.name}`)
      const { result, leftAll } = await makeAttempt(prepared, attempt, tools)
      context.finished(result)
      if (leftAll && isLasting(problem) && attempt !== attempts.at(-1)) continue
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
