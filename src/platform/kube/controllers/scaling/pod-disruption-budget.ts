/** The disruption controller: updates the status of PodDisruptionBudgets, which the eviction API enforces. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Condition } from 'kubernetes-types/meta/v1.d.ts'
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from 'kubernetes-types/policy/v1.d.ts'
import { deepEqual, defined } from '#kit'
import {
  deployments,
  isPodReady,
  podDisruptionBudgets,
  pods,
  replicaSets,
  replicationControllers,
  statefulSets,
} from '#platform/kube/kinds'
import { fromTime, type Stored, setCondition, toLabelMatcher } from '#platform/kube/meta'
import type { Client, WatchEvent } from '#platform/kube/ports'
import { type ControllerContext, defineController, keyOf, splitKey, watching } from '../define-controller.ts'
import { countExpectedPods, type ExpectedPods } from './pod-disruption-budget/expected-pods.ts'

type Budget = Stored<PodDisruptionBudget>

/** An eviction that has not deleted its pod after this time is no longer counted. */
const DISRUPTION_TIMEOUT_MS = 120_000

const UNMANAGED_HINT =
  'As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'

const budgetsSelecting = (client: Client, pod: Stored<Pod>): string[] =>
  client
    .list(podDisruptionBudgets, pod.metadata.namespace)
    .filter(({ spec }) => toLabelMatcher(spec.selector)(pod.metadata.labels))
    .map(keyOf)

const affectsBudgets = ({ type, object, old }: WatchEvent<Pod>): boolean =>
  type !== 'MODIFIED' ||
  isPodReady(object) !== isPodReady(old) ||
  object.metadata.deletionTimestamp !== old.metadata.deletionTimestamp ||
  !deepEqual(object.metadata.labels, old.metadata.labels) ||
  !deepEqual(object.metadata.ownerReferences, old.metadata.ownerReferences)

/** Returns all budgets of a namespace if a workload there was scaled. */
const budgetsAfterScaling = (event: WatchEvent, client: Client): string[] =>
  event.type === 'MODIFIED' && event.object.spec.replicas !== event.old.spec.replicas
    ? client.list(podDisruptionBudgets, event.object.metadata.namespace).map(keyOf)
    : []

/** Sets the condition DisruptionAllowed; conditions of other types belong to other clients. */
const conditionsOf = (
  budget: Budget,
  value: { status: 'True' | 'False'; reason: string; message: string },
  now: number,
): Condition[] => {
  const { generation } = budget.metadata
  const seen = defined({ observedGeneration: generation })
  return setCondition(budget.status.conditions, { type: 'DisruptionAllowed', ...seen, ...value }, now)
}

/** Formats the selector as Go prints it. */
const goSelector = ({ spec: { selector } }: Budget): string => {
  const labels = Object.entries(selector?.matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`)
    .join('')
  const expressions = (selector?.matchExpressions ?? [])
    .map(
      ({ key, operator, values = [] }) =>
        `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
    )
    .join('')
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`
}

/** Returns the evicted pods that are not deleted yet. Drops those past the timeout, and records an event for each. */
const pendingDisruptions = (
  { clock, events, requeue }: ControllerContext,
  budget: Budget,
  selected: readonly Stored<Pod>[],
): Record<string, string> => {
  const pending: Record<string, string> = {}
  for (const pod of selected) {
    const { name, deletionTimestamp } = pod.metadata
    const since = budget.status.disruptedPods?.[name]
    if (since === undefined || deletionTimestamp !== undefined) continue
    const remainingMs = fromTime(since) + DISRUPTION_TIMEOUT_MS - clock.now()
    if (remainingMs > 0) {
      pending[name] = since
      requeue(keyOf(budget), remainingMs)
      continue
    }
    events.record(
      pod,
      'Warning',
      'NotDeleted',
      `Pod was expected by PDB ${keyOf(budget)} to be deleted but it wasn't`,
    )
  }
  return pending
}

const statusOf = (
  context: ControllerContext,
  budget: Budget,
  selected: readonly Stored<Pod>[],
  expected: ExpectedPods,
): PodDisruptionBudgetStatus => {
  const disruptedPods = pendingDisruptions(context, budget, selected)
  const currentHealthy = selected.filter(
    (pod) =>
      pod.metadata.deletionTimestamp === undefined &&
      disruptedPods[pod.metadata.name] === undefined &&
      isPodReady(pod),
  ).length
  const { desiredHealthy, pods: expectedCount } = expected
  const disruptionsAllowed = expectedCount <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy)
  const condition =
    disruptionsAllowed > 0
      ? ({ status: 'True', reason: 'SufficientPods', message: '' } as const)
      : ({ status: 'False', reason: 'InsufficientPods', message: '' } as const)
  return {
    ...defined({ observedGeneration: budget.metadata.generation }),
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods: expectedCount,
    conditions: conditionsOf(budget, condition, context.clock.now()),
  }
}

const sync = (context: ControllerContext, budget: Budget): void => {
  const { client, events } = context
  const matches = toLabelMatcher(budget.spec.selector)
  const selected = client
    .list(pods, budget.metadata.namespace)
    .filter(({ metadata }) => matches(metadata.labels))
  if (selected.length === 0) events.record(budget, 'Normal', 'NoPods', 'No matching pods found')
  let expected: ExpectedPods
  try {
    expected = countExpectedPods(client, budget, selected)
  } catch (error) {
    const message = (error as Error).message
    events.record(
      budget,
      'Warning',
      'CalculateExpectedPodCountFailed',
      `Failed to calculate the number of expected pods: ${message}`,
    )
    throw error
  }
  if (expected.unmanaged.length > 0) {
    const message = `Pods selected by this PodDisruptionBudget (selector: ${goSelector(budget)}) were found to be unmanaged. ${UNMANAGED_HINT}`
    events.record(budget, 'Warning', 'UnmanagedPods', message)
  }
  const status = statusOf(context, budget, selected, expected)
  client.updateStatus(podDisruptionBudgets, { ...budget, status })
}

export const podDisruptionBudgetController = defineController({
  name: 'disruption',
  component: 'controllermanager',
  watches: [
    watching(podDisruptionBudgets, (event) =>
      event.type === 'DELETED' ||
      (event.type === 'MODIFIED' &&
        event.object.metadata.generation === event.old.metadata.generation &&
        deepEqual(event.object.status.disruptedPods, event.old.status.disruptedPods))
        ? []
        : [keyOf(event.object)],
    ),
    watching(pods, (event, { client }) => {
      if (!affectsBudgets(event)) return []
      const before = event.type === 'MODIFIED' ? budgetsSelecting(client, event.old) : []
      return [...budgetsSelecting(client, event.object), ...before]
    }),
    ...[deployments, replicaSets, statefulSets, replicationControllers].map((kind) =>
      watching<any>(kind, (event, { client }) => budgetsAfterScaling(event, client)),
    ),
  ],
  reconcile(key, context) {
    const { namespace, name } = splitKey(key)
    const budget = context.client.get(podDisruptionBudgets, namespace, name)
    if (budget === undefined) return
    try {
      sync(context, budget)
    } catch (error) {
      // No disruption is allowed while the number of expected pods is unknown.
      const condition = { status: 'False', reason: 'SyncFailed', message: (error as Error).message } as const
      const conditions = conditionsOf(budget, condition, context.clock.now())
      const status = { ...budget.status, disruptionsAllowed: 0, conditions }
      context.client.updateStatus(podDisruptionBudgets, { ...budget, status })
      throw error
    }
  },
})
