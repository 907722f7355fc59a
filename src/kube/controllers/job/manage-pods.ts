/** Starts the pods a Job needs now and stops those it needs no more. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { pods } from '../../kinds/index.ts'
import type { Draft, Stored } from '../../meta/index.ts'
import { type ControllerContext, keyOf } from '../define-controller.ts'
import { createPods, deletePod } from '../workload/owned-pods.ts'
import { isTerminating } from '../workload/pod-availability.ts'
import { rankForDeletion } from '../workload/rank-for-deletion.ts'
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
import { judgeFailure } from './pod-failure-policy.ts'
import type { Stock } from './take-stock.ts'

const FIRST_DELAY_MS = 10_000
const LAST_DELAY_MS = 600_000
/** Pods made in one go; the rest follows in the next. */
const BURST = 500

const delayAfter = (failures: number): number => Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LAST_DELAY_MS)

/** Takes the tracking finalizer from a pod as it is now, and so lets it go. */
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

const stop = (context: ControllerContext, { job }: Stock, doomed: readonly Stored<Pod>[]): void => {
  for (const pod of doomed) {
    untrack(context, pod)
    deletePod(context, job, pod)
  }
}

/** Failures since the last success put off the next pod, each twice as long as the one before. */
const commonDelay = ({ job, pods: all }: Stock, now: number): number => {
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

const historyOf = ({ job, pods: all }: Stock, index: number, now: number): IndexHistory => {
  const failed = all.filter((pod) => indexOf(job, pod) === index && hasFailed(job, pod))
  const last = failed.sort((a, b) => finishTime(a) - finishTime(b)).at(-1)
  if (last === undefined) return { failures: 0, delay: 0 }
  const counted = judgeFailure(job, last).action === 'Ignore' ? 0 : 1
  const failures = earlierFailures(last) + counted
  return { failures, delay: failures === 0 ? 0 : finishTime(last) + delayAfter(failures) - now }
}

const pendingIndexes = (stock: Stock): number[] => {
  const { job, completedIndexes, failedIndexes } = stock
  const living = replacesOnlyFailed(job)
    ? stock.pods.filter((pod) => pod.status.phase !== 'Failed' && pod.status.phase !== 'Succeeded')
    : stock.active
  const taken = new Set(living.map((pod) => indexOf(job, pod)))
  const indexes: number[] = []
  for (let index = 0; index < (job.spec.completions ?? 0); index += 1) {
    if (!completedIndexes.has(index) && !failedIndexes.has(index) && !taken.has(index)) indexes.push(index)
  }
  return indexes
}

/** The pods to make now, `count` at most; what must wait for its back-off is put off. */
const nextDrafts = (context: ControllerContext, stock: Stock, count: number): Draft<Pod>[] => {
  const { job } = stock
  const now = context.clock.now()
  if (job.spec.backoffLimitPerIndex === undefined) {
    const delay = commonDelay(stock, now)
    if (delay > 0) {
      context.requeue(keyOf(job), delay)
      return []
    }
    return isIndexed(job)
      ? pendingIndexes(stock)
          .slice(0, count)
          .map((index) => indexedPod(job, index, 0))
      : new Array<Draft<Pod>>(count).fill(jobPod(job))
  }
  const drafts: Draft<Pod>[] = []
  for (const index of pendingIndexes(stock)) {
    if (drafts.length === count) break
    const { failures, delay } = historyOf(stock, index, now)
    if (delay > 0) context.requeue(keyOf(job), delay)
    else drafts.push(indexedPod(job, index, failures))
  }
  return drafts
}

const wantedActive = ({ job, succeeded, active }: Stock): number => {
  const { completions, parallelism = 1 } = job.spec
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism
  return Math.max(0, Math.min(completions - succeeded, parallelism))
}

/** Pods whose index is unknown, done or held by an earlier pod. */
const misplaced = ({ job, active, completedIndexes }: Stock): Stored<Pod>[] => {
  if (!isIndexed(job)) return []
  const seen = new Set<number>()
  return active.filter((pod) => {
    const index = indexOf(job, pod)
    if (index === undefined || completedIndexes.has(index) || seen.has(index)) return true
    seen.add(index)
    return false
  })
}

export interface Managed {
  active: Stored<Pod>[]
  error: unknown
}

/** Gives the pods that are active afterwards, and why not all could be made. */
export const managePods = (context: ControllerContext, stock: Stock): Managed => {
  const { job, active } = stock
  const wanted = job.spec.suspend === true ? 0 : wantedActive(stock)
  const wrong = job.spec.suspend === true ? [] : misplaced(stock)
  const right = active.filter((pod) => !wrong.includes(pod))
  const excess = Math.max(0, right.length - wanted)
  const doomed = [...wrong, ...rankForDeletion(right, right, context.clock.now()).slice(0, excess)]
  stop(context, stock, doomed)
  const kept = active.filter((pod) => !doomed.includes(pod))
  if (doomed.length > 0 || kept.length >= wanted) return { active: kept, error: undefined }

  const going = replacesOnlyFailed(job)
    ? stock.pods.filter((pod) => isTerminating(pod) && pod.status.phase !== 'Failed').length
    : 0
  const drafts = nextDrafts(context, stock, Math.min(wanted - kept.length - going, BURST))
  const created = createPods(context, job, drafts)
  return { active: [...kept, ...created.pods], error: created.error }
}
