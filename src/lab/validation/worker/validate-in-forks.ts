/** Makes all attempts at one problem in processes that are forked at its prepared incident. */
import { defined } from '#kit'
import { adoptDraft, recordPathOf } from '#lab/records'
import type { JobContext, PreparedIncidents } from '#lab/workers'
import type { FinishedAttempt, ValidationJob } from '../attempt.ts'
import type { ForkedAttempt } from './make-forked-attempt.ts'

export interface ForkTools {
  readonly engine: string
  readonly secret: string
  readonly incidents: PreparedIncidents
}

/** Rejects with the failure of the first attempt that proves nothing, and leaves its unfinished record as one of this process. */
export const validateInForks = async (
  { problem, attempts, records }: ValidationJob,
  { signal, stage, alive, result: send }: JobContext<FinishedAttempt>,
  { engine, secret, incidents }: ForkTools,
): Promise<void> => {
  for (const attempt of attempts) {
    signal.throwIfAborted()
    stage(`${problem.id}: ${attempt.name}`)
    const setup: ForkedAttempt = { problem, attempt, ...defined({ records }) }
    const forked = await incidents.fork(
      { problem, engine, secret },
      { setup, onStage: stage, onAlive: alive },
    )
    try {
      send((await forked.call(null)) as FinishedAttempt)
    } catch (error) {
      if (records !== undefined) adoptDraft(recordPathOf(records, problem.id, attempt.name), forked.pid)
      throw error
    } finally {
      forked.end()
    }
  }
}
