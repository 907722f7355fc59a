/** Counts each terminated pod of a Job once: lists its uid, removes its finalizer, and adds it to the totals. */
import type { Job, JobStatus } from 'kubernetes-types/batch/v1.d.ts'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { isPodTerminal, jobs } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { ControllerContext } from '../../define-controller.ts'
import { isTerminating } from '../replicas/pod-availability.ts'
import type { Outcome } from './decide-outcome.ts'
import { formatIndexes } from './index-list.ts'
import { hasFailed, isIndexed, isTracked } from './job-pod.ts'
import type { JobState } from './job-state.ts'
import { untrack } from './manage-pods.ts'

export interface Counted {
  /** The stored Job, with the uncounted pods listed. */
  job: Stored<Job>
  succeeded: number
  failed: number
}

/** If the Job has failed, its running pods count as failed too. */
const failedWithJob = ({ pods, newlyFailed }: JobState, outcome: Outcome | undefined): Stored<Pod>[] =>
  outcome === undefined || outcome.success
    ? []
    : pods.filter((pod) => isTracked(pod) && !isPodTerminal(pod) && !newlyFailed.includes(pod))

/** Returns the completed and failed indexes for the status. */
export const indexStatus = ({ job, completedIndexes, failedIndexes }: JobState): Partial<JobStatus> => ({
  ...(isIndexed(job) && completedIndexes.size > 0
    ? { completedIndexes: formatIndexes(completedIndexes) }
    : {}),
  ...(job.spec.backoffLimitPerIndex === undefined ? {} : { failedIndexes: formatIndexes(failedIndexes) }),
})

export const countPods = (
  context: ControllerContext,
  state: JobState,
  outcome: Outcome | undefined,
): Counted => {
  const { newlySucceeded, newlyFailed } = state
  const stoppedPods = failedWithJob(state, outcome)
  const failed = [...newlyFailed, ...stoppedPods].map(({ metadata }) => metadata.uid)
  // An Indexed Job records successes by index instead of by uid.
  const succeeded = isIndexed(state.job) ? [] : newlySucceeded.map(({ metadata }) => metadata.uid)
  let { job } = state
  if (failed.length + newlySucceeded.length > 0) {
    const listed = job.status.uncountedTerminatedPods ?? {}
    const uncountedTerminatedPods = {
      ...(succeeded.length === 0 ? {} : { succeeded: [...(listed.succeeded ?? []), ...succeeded] }),
      ...(failed.length === 0 ? {} : { failed: [...(listed.failed ?? []), ...failed] }),
    }
    const status = { ...job.status, ...indexStatus(state), uncountedTerminatedPods }
    job = context.client.updateStatus(jobs, { ...job, status })
  }
  for (const pod of state.pods) {
    const isDone = pod.status.phase === 'Succeeded' || hasFailed(job, pod)
    if (isDone || outcome !== undefined || isTerminating(job)) untrack(context, pod)
  }
  return { job, succeeded: state.succeeded, failed: state.failed + stoppedPods.length }
}
