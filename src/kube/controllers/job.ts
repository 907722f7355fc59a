/** The Job controller: runs pods until enough of them have succeeded, or too many have failed. */
import type { Job } from 'kubernetes-types/batch/v1.d.ts'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { jobs, pods } from '../kinds/index.ts'
import { controllerOf, matcherOf, type Stored, toTime } from '../meta/index.ts'
import { type ControllerContext, defineController, keyOf, splitKey, watching } from './define-controller.ts'
import { countPods } from './job/count-pods.ts'
import {
  conditionOf,
  decideCompletion,
  decideEarly,
  type Outcome,
  timeToDeadline,
} from './job/decide-outcome.ts'
import { isTracked } from './job/job-pod.ts'
import { type Managed, managePods, untrack } from './job/manage-pods.ts'
import { type Stock, takeStock } from './job/take-stock.ts'
import { writeStatus } from './job/write-status.ts'
import { claimOwned } from './workload/claim-owned.ts'
import { deletePod } from './workload/owned-pods.ts'
import { isTerminating } from './workload/pod-availability.ts'
import { watchingOwned } from './workload/watching-owned.ts'

const THIS_CONTROLLER = 'kubernetes.io/job-controller'

/** Pods of a Job that is gone wait for nobody. */
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

/** The Job with its start noted: once, and anew each time it is resumed. */
const started = (job: Stored<Job>, now: number): Stored<Job> => {
  const waiting = job.status.startTime === undefined || conditionOf(job, 'Suspended') !== undefined
  if (job.spec.suspend === true || !waiting) return job
  return { ...job, status: { ...job.status, startTime: toTime(now) } }
}

const stopAll = (context: ControllerContext, { job, active }: Stock): Managed => {
  for (const pod of active) deletePod(context, job, pod)
  return { active: [], error: undefined }
}

/** Moves the Job's pods one step on and tells what has become of it, if that is known. */
const advance = (context: ControllerContext, stock: Stock): Managed & { outcome: Outcome | undefined } => {
  const early = decideEarly(stock, context.clock.now())
  if (early !== undefined) return { ...stopAll(context, stock), outcome: early }
  if (isTerminating(stock.job)) return { active: [...stock.active], error: undefined, outcome: undefined }
  const managed = managePods(context, stock)
  return { ...managed, outcome: decideCompletion(stock, managed.active.length) }
}

const ownedPods = ({ client }: ControllerContext, job: Stored<Job>): Stored<Pod>[] => {
  const matches = matcherOf(job.spec.selector)
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
    const stock = takeStock(started(stored, clock.now()), ownedPods(context, stored))
    const { active, error, outcome } = advance(context, stock)
    const counted = countPods(context, stock, outcome)
    writeStatus(context, counted, stock, active, outcome)

    const left = timeToDeadline(stock.job, clock.now())
    if (left !== undefined && left > 0 && outcome === undefined) context.requeue(key, left)
    if (error !== undefined) throw error
  },
})
