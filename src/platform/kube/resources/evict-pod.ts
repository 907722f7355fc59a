/** Eviction: a deletion that respects PodDisruptionBudgets. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Condition } from 'kubernetes-types/meta/v1.d.ts'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.d.ts'
import { defined } from '#kit'
import {
  disruptionTarget,
  isPodReady,
  podDisruptionBudgets,
  pods,
  setPodCondition,
} from '#platform/kube/kinds'
import {
  ApiError,
  forbidden,
  notFound,
  type Stored,
  setCondition,
  toLabelMatcher,
  tooManyRequests,
  toTime,
} from '#platform/kube/meta'
import type { DeleteOptions } from '#platform/kube/ports'
import type { Core, WriteContext } from './core.ts'
import { checkPreconditions, deleteObject } from './delete-object.ts'
import { updateObject } from './update-object.ts'

const VIOLATION = "Cannot evict pod as it would violate the pod's disruption budget."

const budgetsFor = (core: Core, pod: Stored<Pod>): Stored<PodDisruptionBudget>[] =>
  (core.store.list(podDisruptionBudgets.id, pod.metadata.namespace) as Stored<PodDisruptionBudget>[]).filter(
    (budget) => toLabelMatcher(budget.spec.selector)(pod.metadata.labels),
  )

/** Budgets do not apply to pods that are not running or are already terminating. */
const isExempt = (pod: Stored<Pod>): boolean =>
  ['Succeeded', 'Failed', 'Pending'].includes(pod.status.phase ?? '') ||
  pod.metadata.deletionTimestamp !== undefined

/** Whether an unready pod may be evicted without consuming the budget. */
const bypassesBudget = (pod: Stored<Pod>, budget: Stored<PodDisruptionBudget>): boolean => {
  if (isPodReady(pod)) return false
  if (budget.spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true
  const { currentHealthy = 0, desiredHealthy = 0 } = budget.status
  return currentHealthy >= desiredHealthy && desiredHealthy > 0
}

/** Decrements the allowed disruptions of the budget; throws TooManyRequests if none is left. */
const consumeDisruption = (
  core: Core,
  pod: Stored<Pod>,
  budget: Stored<PodDisruptionBudget>,
  context: WriteContext,
): void => {
  const { status, metadata } = budget
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    throw tooManyRequests(VIOLATION, 10, [
      {
        reason: 'DisruptionBudget',
        message: `The disruption budget ${metadata.name} is still being processed by the server.`,
      },
    ])
  }
  if ((status.disruptionsAllowed ?? 0) < 0) {
    const resource = { group: 'policy', plural: 'poddisruptionbudget' }
    throw forbidden(resource, metadata.name, 'pdb disruptions allowed is negative')
  }
  if ((status.disruptionsAllowed ?? 0) === 0) {
    throw tooManyRequests(VIOLATION, 0, [
      {
        reason: 'DisruptionBudget',
        message: `The disruption budget ${metadata.name} needs ${status.desiredHealthy ?? 0} healthy pods and has ${status.currentHealthy ?? 0} currently`,
      },
    ])
  }
  if (context.dryRun === true) return
  const disruptedPods = { ...status.disruptedPods, [pod.metadata.name]: toTime(core.clock.now()) }
  const disruptionsAllowed = status.disruptionsAllowed - 1
  const exhausted = { type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', message: '' }
  const observed = defined({ observedGeneration: metadata.generation })
  const conditions =
    disruptionsAllowed > 0
      ? (status.conditions ?? [])
      : setCondition<Condition>(status.conditions, { ...exhausted, ...observed }, core.clock.now())
  const next = { ...status, disruptionsAllowed, disruptedPods, conditions }
  const update = { kind: podDisruptionBudgets, object: { ...budget, status: next }, old: budget }
  updateObject(core, { ...update, scope: 'status' }, context)
}

const markDisrupted = (core: Core, pod: Stored<Pod>, context: WriteContext): Stored<Pod> => {
  const disrupted = disruptionTarget('EvictionByEvictionAPI', 'Eviction API: evicting')
  const conditions = setPodCondition(pod, disrupted, core.clock.now())
  const next = { ...pod, status: { ...pod.status, conditions } }
  return updateObject(core, { kind: pods, object: next, old: pod, scope: 'status' }, context) as Stored<Pod>
}

export const evictPod = (
  core: Core,
  { namespace, name }: { namespace: string; name: string },
  options: DeleteOptions,
  context: WriteContext,
): void => {
  const pod = core.store.get(pods.id, namespace, name) as Stored<Pod> | undefined
  if (pod === undefined) throw notFound(pods, name)
  checkPreconditions(pods, pod, options)
  const budgets = isExempt(pod) ? [] : budgetsFor(core, pod)
  if (budgets.length > 1) {
    throw new ApiError(
      500,
      '',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    )
  }
  const budget = budgets[0]
  if (budget !== undefined && !bypassesBudget(pod, budget)) consumeDisruption(core, pod, budget, context)
  const last = context.dryRun === true || isExempt(pod) ? pod : markDisrupted(core, pod, context)
  // The preconditions were checked above; the condition has changed the resource version since.
  const { preconditions: _, ...rest } = options
  deleteObject(core, { kind: pods, object: last, options: rest }, context)
}
