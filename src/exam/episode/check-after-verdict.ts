/** Performs a further check after the verdict of an attempt, such as that of another benchmark, and adds its result to the record. */
import { type Finding, type KubeApi, type Problem, RemediumError } from '#spec'
import type { EpisodeTime } from './laboratory/episode-time.ts'
import type { Equipment } from './laboratory/equipment.ts'
import type { EventLog } from './record/event-log.ts'

export interface CheckContext {
  readonly problem: Problem
  readonly api: KubeApi
  readonly namespace: string
  readonly time: Pick<EpisodeTime, 'precise' | 'sleep' | 'after'>
  /** Throws if the laboratory is unusable. */
  throwIfFailed(): void
}

/** Returns undefined if the check does not apply to the problem. */
export type FurtherCheck = (context: CheckContext) => Promise<Finding | undefined>

/**
 * Adds nothing if the check does not apply or cannot be performed: the verdict does not depend on it. Rejects only if the record
 * cannot be written.
 */
export const checkAfterVerdict = async (
  { cluster: { api }, view: { namespace }, time, failure, recorder }: Equipment,
  problem: Problem,
  log: EventLog,
  check: FurtherCheck,
): Promise<void> => {
  // The check runs commands in pods. Their effects do not belong to the record of the attempt.
  recorder.stop()
  try {
    const finding = await check({
      problem,
      api,
      namespace,
      time,
      throwIfFailed: () => failure.throwIfSet(),
    })
    if (finding !== undefined) log.add({ type: 'micro-remed-checked', ...finding })
  } catch (error) {
    if (error instanceof RemediumError && error.code === 'record-lost') throw error
  }
}
