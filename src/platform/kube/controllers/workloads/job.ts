/** The Job controller: runs pods until enough of them have succeeded, or too many have failed. */
import type { Job } from 'kubernetes-types/batch/v1.d.ts'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { jobs, pods } from '#platform/kube/kinds'
import { controllerOf, type Stored, toLabelMatcher, toTime } from '#platform/kube/meta'
import { type ControllerContext, defineController, keyOf, splitKey, watching } from '../define-controller.ts'
import { countPods } from './job/count-pods.ts'
import {
  conditionOf,
  decideCompletion,
  decideEarly,
  type Outcome,
  timeToDeadline,
} from './job/decide-outcome.ts'
import { isTracked } from './job/job-pod.ts'
import { type JobState, readJobState } from './job/job-state.ts'
import { type ManagedPods, managePods, untrack } from './job/manage-pods.ts'
import { writeStatus } from './job/write-status.ts'
import { claimOwned } from './ownership/claim-owned.ts'
import { deletePod } from './ownership/owned-pods.ts'
import { watchingOwned } from './ownership/watching-owned.ts'
import { isTerminating } from './replicas/pod-availability.ts'

const THIS_CONTROLLER = 'kubernetes.io/job-controller'

/** Removes the tracking finalizer from pods of a deleted Job of this name. */
const releaseOrphans = (
  context: ControllerContext,
  namespace: string,
  name: string,
  uid: string | undefined,
): void => {
  for (const pod of context.client.list(pods, namespace)) {
    const owner = controllerOf(pod)
    if (owner?.kind === jobs.kind && owner.name === name && owner.uid !== uid && isTracked(pod))
      untrack(context, pod)
  }
}

const isFinished = (job: Stored<Job>): boolean =>
  conditionOf(job, 'Complete') !== undefined || conditionOf(job, 'Failed') !== undefined

/** Sets the start time when the Job first starts and each time it is resumed. */
const withStartTime = (job: Stored<Job>, now: number): Stored<Job> => {
  const isWaiting = job.status.startTime === undefined || conditionOf(job, 'Suspended') !== undefined
  if (job.spec.suspend === true || !isWaiting) return job
  return { ...job, status: { ...job.status, startTime: toTime(now) } }
}

const stopAll = (context: ControllerContext, { job, active }: JobState): ManagedPods => {
  for (const pod of active) deletePod(context, job, pod)
  return { active: [], error: undefined }
}

/** Creates and deletes pods as the Job needs; returns the outcome once it is decided. */
const advance = (
  context: ControllerContext,
  state: JobState,
): ManagedPods & { outcome: Outcome | undefined } => {
  const early = decideEarly(state, context.clock.now())
  if (early !== undefined) return { ...stopAll(context, state), outcome: early }
  if (isTerminating(state.job)) return { active: [...state.active], error: undefined, outcome: undefined }
  const managed = managePods(context, state)
  return { ...managed, outcome: decideCompletion(state, managed.active.length) }
}

const ownedPods = ({ client }: ControllerContext, job: Stored<Job>): Stored<Pod>[] => {
  const matches = toLabelMatcher(job.spec.selector)
  return claimOwned(client, pods, job, ({ metadata }) => matches(metadata.labels))
}

export const jobController = defineController({
  name: 'job',
  watches: [
    watching(jobs, ({ object }) => [keyOf(object)]),
    watchingOwned(pods, jobs, ({ spec }) => spec.selector),
  ],
  reconcile(key, context) {
    const { client, clock } = context
    const { namespace, name } = splitKey(key)
    const stored = client.get(jobs, namespace, name)
    releaseOrphans(context, namespace, name, stored?.metadata.uid)
    if (stored === undefined || (stored.spec.managedBy ?? THIS_CONTROLLER) !== THIS_CONTROLLER) return
    if (isFinished(stored)) {
      for (const pod of client.ownedBy(pods, stored.metadata.uid)) untrack(context, pod)
      return
    }
    const state = readJobState(withStartTime(stored, clock.now()), ownedPods(context, stored))
    const { active, error, outcome } = advance(context, state)
    const counted = countPods(context, state, outcome)
    writeStatus(context, { counted, state, active, outcome })

    const remainingMs = timeToDeadline(state.job, clock.now())
    if (remainingMs !== undefined && remainingMs > 0 && outcome === undefined)
      context.requeue(key, remainingMs)
    if (error !== undefined) throw error
  },
})
