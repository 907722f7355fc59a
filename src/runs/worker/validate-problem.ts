/** All attempts that prove a problem, on as few preparations as can be. */
import type { Prepared } from '../../episode/index.ts'
import { COMMON_HACKS } from '../../hacks/index.ts'
import type { Fault, Problem } from '../../spec/index.ts'
import type { EpisodeJob, FinishedAttempt } from '../attempt.ts'
import { longestWaitOf } from '../spans-of.ts'
import { isHack } from '../validity/plan-attempts.ts'
import type { BenchKeeper } from './keep-bench.ts'
import { makeAttempt } from './make-attempt.ts'
import { refuseUnfelt } from './refuse-unfelt.ts'
import type { JobContext } from './serve-jobs.ts'
import { whileAlive } from './while-alive.ts'

/** Whether it is still there however long somebody tries, so that the next one can try the same preparation. */
const isLasting = ({ faults }: Problem): boolean => faults.every(({ shape }) => shape.kind !== 'transient')

export const validateProblem = async (
  { problem, attempts, records }: EpisodeJob,
  { signal, stage, alive, finished }: JobContext<FinishedAttempt>,
  { benches, faults }: { benches: BenchKeeper; faults: ReadonlyMap<string, Fault> },
): Promise<void> => {
  const tools = { faults, commonHacks: COMMON_HACKS, records }
  const wait = longestWaitOf(problem)
  let prepared: Prepared | undefined
  let isProven = false
  for (const attempt of attempts) {
    if (prepared === undefined) {
      const { bench } = await benches.ready({ problem, faults, signal, stage })
      stage(`preparing ${problem.id}`)
      // A hack need not be shown once more what users were seen to feel: it must fail anyway.
      const patient = !(isProven && isHack(attempt))
      prepared = await whileAlive(alive, wait, bench.lab.prepare(problem, { patient }))
      if (patient) refuseUnfelt(prepared)
      isProven = true
    }
    stage(`${problem.id}: ${attempt.name}`)
    const { result, leftAll } = await whileAlive(alive, wait, makeAttempt(prepared, attempt, tools))
    finished(attempt.name, result)
    if (leftAll && isLasting(problem) && attempt !== attempts.at(-1)) continue
    stage(`restoring ${problem.system}`)
    await prepared.restore()
    prepared = undefined
  }
}
