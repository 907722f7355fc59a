/** Counts a Job's ended pods exactly once: first listed by uid, then let go, and then added to the totals. */
import type { Job, JobStatus } from 'kubernetes-types/batch/v1.d.ts'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { isPodTerminal, jobs } from '../../kinds/index.ts'
import type { Stored } from '../../meta/index.ts'
import type { ControllerContext } from '../define-controller.ts'
import { isTerminating } from '../workload/pod-availability.ts'
import type { Outcome } from './decide-outcome.ts'
import { formatIndexes } from './index-list.ts'
import { hasFailed, isIndexed, isTracked } from './job-pod.ts'
import { untrack } from './manage-pods.ts'
import type { Stock } from './take-stock.ts'

export interface Counted {
  /** The stored Job, as new as the pods' list required. */
  job: Stored<Job>
  succeeded: number
  failed: number
}

/** When the Job has failed, what still ran has failed with it. */
const failedWithJob = ({ pods, newlyFailed }: Stock, outcome: Outcome | undefined): Stored<Pod>[] =>
  outcome === undefined || outcome.success
    ? []
    : pods.filter((pod) => isTracked(pod) && !isPodTerminal(pod) && !newlyFailed.includes(pod))

/** The indexes as the status shows them. */
export const indexStatus = ({ job, completedIndexes, failedIndexes }: Stock): Partial<JobStatus> => ({
  ...(isIndexed(job) && completedIndexes.size > 0
    ? { completedIndexes: formatIndexes(completedIndexes) }
    : {}),
  ...(job.spec.backoffLimitPerIndex === undefined ? {} : { failedIndexes: formatIndexes(failedIndexes) }),
})

export const countPods = (
  context: ControllerContext,
  stock: Stock,
  outcome: Outcome | undefined,
): Counted => {
  const { newlySucceeded, newlyFailed } = stock
  const late = failedWithJob(stock, outcome)
  const failed = [...newlyFailed, ...late].map(({ metadata }) => metadata.uid)
  // Successes of an Indexed Job are remembered by their index and not by uid.
  const succeeded = isIndexed(stock.job) ? [] : newlySucceeded.map(({ metadata }) => metadata.uid)
  let { job } = stock
  if (failed.length + newlySucceeded.length > 0) {
    const listed = job.status.uncountedTerminatedPods ?? {}
    const uncountedTerminatedPods = {
      ...(succeeded.length === 0 ? {} : { succeeded: [...(listed.succeeded ?? []), ...succeeded] }),
      ...(failed.length === 0 ? {} : { failed: [...(listed.failed ?? []), ...failed] }),
    }
    const status = { ...job.status, ...indexStatus(stock), uncountedTerminatedPods }
    job = context.client.updateStatus(jobs, { ...job, status })
  }
  for (const pod of stock.pods) {
    const done = pod.status.phase === 'Succeeded' || hasFailed(job, pod)
    if (done || outcome !== undefined || isTerminating(job)) untrack(context, pod)
  }
  return { job, succeeded: stock.succeeded, failed: stock.failed + late.length }
}
