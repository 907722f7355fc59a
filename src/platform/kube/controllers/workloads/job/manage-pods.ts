/** Creates the pods that a Job needs now and deletes those it no longer needs. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { pods } from '#platform/kube/kinds'
import type { Draft, Stored } from '#platform/kube/meta'
import { type ControllerContext, keyOf } from '../../define-controller.ts'
import { createPods, deletePod } from '../ownership/owned-pods.ts'
import { isTerminating } from '../replicas/pod-availability.ts'
import { rankForDeletion } from '../replicas/rank-for-deletion.ts'
import { classifyFailure } from './classify-failure.ts'
import {
  earlierFailures,
  finishTime,
  hasFailed,
  indexedPod,
  indexOf,
  isIndexed,
  isTracked,
  jobPod,
  replacesOnlyFailed,
  TRACKING,
} from './job-pod.ts'
import type { JobState } from './job-state.ts'

const FIRST_DELAY_MS = 10_000
const MAX_DELAY_MS = 600_000
/** Maximum number of pods created in one reconcile. */
const BURST = 500

const delayAfter = (failures: number): number => Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), MAX_DELAY_MS)

/** Removes the tracking finalizer from the stored pod. */
export const untrack = (
  { client }: ControllerContext,
  { metadata: { namespace = '', name } }: Stored<Pod>,
): void => {
  const pod = client.get(pods, namespace, name)
  if (pod === undefined || !isTracked(pod)) return
  const { finalizers = [], ...metadata } = pod.metadata
  const rest = finalizers.filter((finalizer) => finalizer !== TRACKING)
  client.update(pods, { ...pod, metadata: rest.length === 0 ? metadata : { ...metadata, finalizers: rest } })
}

const stopPods = (context: ControllerContext, { job }: JobState, victims: readonly Stored<Pod>[]): void => {
  for (const pod of victims) {
    untrack(context, pod)
    deletePod(context, job, pod)
  }
}

/** Milliseconds until the next pod: the back-off doubles with each failure since the last success. */
const commonDelay = ({ job, pods: all }: JobState, now: number): number => {
  const ended = all
    .filter((pod) => pod.status.phase === 'Succeeded' || hasFailed(job, pod))
    .sort((a, b) => finishTime(a) - finishTime(b))
  const lastSuccess = ended.findLastIndex((pod) => pod.status.phase === 'Succeeded')
  const failures = ended.slice(lastSuccess + 1)
  return failures.length === 0 ? 0 : finishTime(failures.at(-1)!) + delayAfter(failures.length) - now
}

interface IndexHistory {
  failures: number
  delay: number
}

const historyOf = ({ job, pods: all }: JobState, index: number, now: number): IndexHistory => {
  const failed = all.filter((pod) => indexOf(job, pod) === index && hasFailed(job, pod))
  const last = failed.sort((a, b) => finishTime(a) - finishTime(b)).at(-1)
  if (last === undefined) return { failures: 0, delay: 0 }
  const counted = classifyFailure(job, last).action === 'Ignore' ? 0 : 1
  const failures = earlierFailures(last) + counted
  return { failures, delay: failures === 0 ? 0 : finishTime(last) + delayAfter(failures) - now }
}

const pendingIndexes = (state: JobState): number[] => {
  const { job, completedIndexes, failedIndexes } = state
  const indexHolders = replacesOnlyFailed(job)
    ? state.pods.filter((pod) => pod.status.phase !== 'Failed' && pod.status.phase !== 'Succeeded')
    : state.active
  const taken = new Set(indexHolders.map((pod) => indexOf(job, pod)))
  const indexes: number[] = []
  for (let index = 0; index < (job.spec.completions ?? 0); index += 1) {
    if (!completedIndexes.has(index) && !failedIndexes.has(index) && !taken.has(index)) indexes.push(index)
  }
  return indexes
}

/** Builds at most `count` pods to create now; requeues the Job for pods that wait for their back-off. */
const nextDrafts = (context: ControllerContext, state: JobState, count: number): Draft<Pod>[] => {
  const { job } = state
  const now = context.clock.now()
  if (job.spec.backoffLimitPerIndex === undefined) {
    const delay = commonDelay(state, now)
    if (delay > 0) {
      context.requeue(keyOf(job), delay)
      return []
    }
    return isIndexed(job)
      ? pendingIndexes(state)
          .slice(0, count)
          .map((index) => indexedPod(job, index, 0))
      : new Array<Draft<Pod>>(count).fill(jobPod(job))
  }
  const drafts: Draft<Pod>[] = []
  for (const index of pendingIndexes(state)) {
    if (drafts.length === count) break
    const { failures, delay } = historyOf(state, index, now)
    if (delay > 0) context.requeue(keyOf(job), delay)
    else drafts.push(indexedPod(job, index, failures))
  }
  return drafts
}

const desiredActive = ({ job, succeeded, active }: JobState): number => {
  const { completions, parallelism = 1 } = job.spec
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism
  return Math.max(0, Math.min(completions - succeeded, parallelism))
}

/** Returns pods whose index is invalid, completed or taken by an earlier pod. */
const findMisplaced = ({ job, active, completedIndexes }: JobState): Stored<Pod>[] => {
  if (!isIndexed(job)) return []
  const seen = new Set<number>()
  return active.filter((pod) => {
    const index = indexOf(job, pod)
    if (index === undefined || completedIndexes.has(index) || seen.has(index)) return true
    seen.add(index)
    return false
  })
}

export interface ManagedPods {
  /** The pods that are active afterwards. */
  active: Stored<Pod>[]
  /** The first failure to create a pod. */
  error: unknown
}

export const managePods = (context: ControllerContext, state: JobState): ManagedPods => {
  const { job, active } = state
  const desired = job.spec.suspend === true ? 0 : desiredActive(state)
  const invalid = job.spec.suspend === true ? [] : findMisplaced(state)
  const valid = active.filter((pod) => !invalid.includes(pod))
  const excess = Math.max(0, valid.length - desired)
  const victims = [...invalid, ...rankForDeletion(valid, valid, context.clock.now()).slice(0, excess)]
  stopPods(context, state, victims)
  const remaining = active.filter((pod) => !victims.includes(pod))
  if (victims.length > 0 || remaining.length >= desired) return { active: remaining, error: undefined }

  const terminating = replacesOnlyFailed(job)
    ? state.pods.filter((pod) => isTerminating(pod) && pod.status.phase !== 'Failed').length
    : 0
  const drafts = nextDrafts(context, state, Math.min(desired - remaining.length - terminating, BURST))
  const created = createPods(context, job, drafts)
  return { active: [...remaining, ...created.pods], error: created.error }
}
