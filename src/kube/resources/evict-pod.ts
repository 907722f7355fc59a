/** Eviction: a deletion that asks the disruption budgets first. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.d.ts'
import { disruptionTarget, isPodReady, podDisruptionBudgets, pods, putPodCondition } from '../kinds/index.ts'
import { ApiError, matcherOf, notFound, type Stored, tooManyRequests, toTime } from '../meta/index.ts'
import type { DeleteOptions } from '../ports/index.ts'
import type { Core, WriteContext } from './core.ts'
import { checkPreconditions, deleteObject } from './delete-object.ts'
import { updateObject } from './update-object.ts'

const REFUSAL = "Cannot evict pod as it would violate the pod's disruption budget."

const budgetsFor = (core: Core, pod: Stored<Pod>): Stored<PodDisruptionBudget>[] =>
  (core.store.list(podDisruptionBudgets.id, pod.metadata.namespace) as Stored<PodDisruptionBudget>[]).filter(
    (budget) => matcherOf(budget.spec.selector)(pod.metadata.labels),
  )

/** Pods that no longer run, or do not yet, disturb nobody. */
const isHarmless = (pod: Stored<Pod>): boolean =>
  ['Succeeded', 'Failed', 'Pending'].includes(pod.status.phase ?? '') ||
  pod.metadata.deletionTimestamp !== undefined

const isEvictable = (pod: Stored<Pod>, budget: Stored<PodDisruptionBudget>): boolean => {
  if (isPodReady(pod)) return false
  if (budget.spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true
  const { currentHealthy = 0, desiredHealthy = 0 } = budget.status
  return currentHealthy >= desiredHealthy && desiredHealthy > 0
}

/** Takes one permitted disruption from the budget, or refuses. */
const spend = (
  core: Core,
  pod: Stored<Pod>,
  budget: Stored<PodDisruptionBudget>,
  context: WriteContext,
): void => {
  const { status, metadata } = budget
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    throw tooManyRequests(REFUSAL, 10, [
      {
        reason: 'DisruptionBudget',
        message: `The disruption budget ${metadata.name} is still being processed by the server.`,
      },
    ])
  }
  if ((status.disruptionsAllowed ?? 0) <= 0) {
    throw tooManyRequests(REFUSAL, 0, [
      {
        reason: 'DisruptionBudget',
        message: `The disruption budget ${metadata.name} needs ${status.desiredHealthy ?? 0} healthy pods and has ${status.currentHealthy ?? 0} currently`,
      },
    ])
  }
  if (context.dryRun === true) return
  const disruptedPods = { ...status.disruptedPods, [pod.metadata.name]: toTime(core.clock.now()) }
  const next = { ...status, disruptionsAllowed: status.disruptionsAllowed - 1, disruptedPods }
  updateObject(core, podDisruptionBudgets, { ...budget, status: next }, budget, context, 'status')
}

const markDisrupted = (core: Core, pod: Stored<Pod>, context: WriteContext): Stored<Pod> => {
  const disrupted = disruptionTarget('EvictionByEvictionAPI', 'Eviction API: evicting')
  const conditions = putPodCondition(pod, disrupted, core.clock.now())
  const next = { ...pod, status: { ...pod.status, conditions } }
  return updateObject(core, pods, next, pod, context, 'status') as Stored<Pod>
}

export const evictPod = (
  core: Core,
  namespace: string,
  name: string,
  options: DeleteOptions,
  context: WriteContext,
): void => {
  const pod = core.store.get(pods.id, namespace, name) as Stored<Pod> | undefined
  if (pod === undefined) throw notFound(pods, name)
  checkPreconditions(pods, pod, options)
  const budgets = isHarmless(pod) ? [] : budgetsFor(core, pod)
  if (budgets.length > 1) {
    throw new ApiError(
      500,
      '',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    )
  }
  const budget = budgets[0]
  if (budget !== undefined && !isEvictable(pod, budget)) spend(core, pod, budget, context)
  const last = context.dryRun === true || isHarmless(pod) ? pod : markDisrupted(core, pod, context)
  // The mark has just given the pod another version than the one that was asked for, and found.
  const { preconditions: _, ...rest } = options
  deleteObject(core, pods, last, rest, context)
}
