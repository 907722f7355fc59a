/** Reads the state of a Job from its pods: which are active, terminated or not yet counted. */
import type { Job } from 'kubernetes-types/batch/v1.d.ts'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { isPodTerminal } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import { isPodActive, isTerminating } from '../replicas/pod-availability.ts'
import { classifyFailure } from './classify-failure.ts'
import { parseIndexes } from './index-list.ts'
import { earlierFailures, hasFailed, indexOf, isIndexed, isTracked } from './job-pod.ts'

export interface JobState {
  job: Stored<Job>
  pods: readonly Stored<Pod>[]
  active: readonly Stored<Pod>[]
  /** Number of pods that are terminating but not terminal. */
  terminating: number
  /** Terminated since the last count; pods whose failure is ignored are in neither list. */
  newlySucceeded: readonly Stored<Pod>[]
  newlyFailed: readonly Stored<Pod>[]
  /** Totals, including the newly terminated pods. */
  succeeded: number
  failed: number
  /** Empty unless the Job is Indexed. */
  completedIndexes: ReadonlySet<number>
  failedIndexes: ReadonlySet<number>
  /** The reason why the pod failure policy fails the Job, if it does. */
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
    const { action } = classifyFailure(job, pod)
    if (action === 'FailIndex' || (action !== 'Ignore' && earlierFailures(pod) >= limit)) indexes.add(index)
  }
  return indexes
}

export const readJobState = (job: Stored<Job>, pods: readonly Stored<Pod>[]): JobState => {
  const listed = job.status.uncountedTerminatedPods ?? {}
  const isListed = (pod: Stored<Pod>): boolean =>
    listed.succeeded?.includes(pod.metadata.uid) === true ||
    listed.failed?.includes(pod.metadata.uid) === true
  const uncounted = pods.filter((pod) => isTracked(pod) && !isListed(pod))
  const inRange = (pod: Stored<Pod>): boolean => !isIndexed(job) || indexOf(job, pod) !== undefined
  const newlySucceeded = uncounted.filter((pod) => pod.status.phase === 'Succeeded' && inRange(pod))
  const newFailures = uncounted.filter((pod) => hasFailed(job, pod) && inRange(pod))
  const classified = newFailures.map((pod) => ({ pod, ...classifyFailure(job, pod) }))
  const newlyFailed = classified.filter(({ action }) => action !== 'Ignore').map(({ pod }) => pod)

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
    failJob: classified.find(({ action }) => action === 'FailJob')?.message,
  }
}
