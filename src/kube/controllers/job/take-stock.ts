/** What a Job's pods amount to at this moment. */
import type { Job } from 'kubernetes-types/batch/v1.d.ts'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { isPodTerminal } from '../../kinds/index.ts'
import type { Stored } from '../../meta/index.ts'
import { isPodActive, isTerminating } from '../workload/pod-availability.ts'
import { parseIndexes } from './index-list.ts'
import { earlierFailures, hasFailed, indexOf, isIndexed, isTracked } from './job-pod.ts'
import { judgeFailure } from './pod-failure-policy.ts'

export interface Stock {
  job: Stored<Job>
  pods: readonly Stored<Pod>[]
  active: readonly Stored<Pod>[]
  /** Asked to go but still there. */
  terminating: number
  /** Ended since the last count; those whose failure is ignored are in neither list. */
  newlySucceeded: readonly Stored<Pod>[]
  newlyFailed: readonly Stored<Pod>[]
  /** Totals, the new ones included. */
  succeeded: number
  failed: number
  /** Of an Indexed Job. */
  completedIndexes: ReadonlySet<number>
  failedIndexes: ReadonlySet<number>
  /** Why the failure policy ends the Job, if it does. */
  failJob: string | undefined
}

const failedIndexesOf = (
  job: Stored<Job>,
  pods: readonly Stored<Pod>[],
  completed: ReadonlySet<number>,
): Set<number> => {
  const indexes = parseIndexes(job.status.failedIndexes)
  const limit = job.spec.backoffLimitPerIndex
  if (limit === undefined) return indexes
  for (const pod of pods) {
    const index = indexOf(job, pod)
    if (index === undefined || completed.has(index) || !hasFailed(job, pod)) continue
    const { action } = judgeFailure(job, pod)
    if (action === 'FailIndex' || (action !== 'Ignore' && earlierFailures(pod) >= limit)) indexes.add(index)
  }
  return indexes
}

export const takeStock = (job: Stored<Job>, pods: readonly Stored<Pod>[]): Stock => {
  const listed = job.status.uncountedTerminatedPods ?? {}
  const isListed = (pod: Stored<Pod>): boolean =>
    listed.succeeded?.includes(pod.metadata.uid) === true ||
    listed.failed?.includes(pod.metadata.uid) === true
  const uncounted = pods.filter((pod) => isTracked(pod) && !isListed(pod))
  const inRange = (pod: Stored<Pod>): boolean => !isIndexed(job) || indexOf(job, pod) !== undefined
  const newlySucceeded = uncounted.filter((pod) => pod.status.phase === 'Succeeded' && inRange(pod))
  const newFailures = uncounted.filter((pod) => hasFailed(job, pod) && inRange(pod))
  const judged = newFailures.map((pod) => ({ pod, ...judgeFailure(job, pod) }))
  const newlyFailed = judged.filter(({ action }) => action !== 'Ignore').map(({ pod }) => pod)

  const completedIndexes = parseIndexes(job.status.completedIndexes)
  if (isIndexed(job)) for (const pod of newlySucceeded) completedIndexes.add(indexOf(job, pod)!)
  return {
    job,
    pods,
    active: pods.filter(isPodActive),
    terminating: pods.filter((pod) => isTerminating(pod) && !isPodTerminal(pod)).length,
    newlySucceeded,
    newlyFailed,
    succeeded: isIndexed(job)
      ? completedIndexes.size
      : (job.status.succeeded ?? 0) + (listed.succeeded?.length ?? 0) + newlySucceeded.length,
    failed: (job.status.failed ?? 0) + (listed.failed?.length ?? 0) + newlyFailed.length,
    completedIndexes,
    failedIndexes: failedIndexesOf(job, pods, completedIndexes),
    failJob: judged.find(({ action }) => action === 'FailJob')?.message,
  }
}
