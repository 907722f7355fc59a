/** Keeps a number of identical pods running; shared by ReplicaSet and ReplicationController. */
import type { ReplicaSetCondition, ReplicaSetStatus } from 'kubernetes-types/apps/v1.d.ts'
import type { Pod, PodTemplateSpec } from 'kubernetes-types/core/v1.d.ts'
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts'
import { defined } from '#kit'
import { isPodReady, pods } from '#platform/kube/kinds'
import { hasLabels, type ObjectMeta, type Stored, toLabelMatcher, toTime } from '#platform/kube/meta'
import { type ControllerContext, keyOf } from '../../define-controller.ts'
import { messageOf } from '../../message-of.ts'
import { claimOwned } from '../ownership/claim-owned.ts'
import { createPods, deletePod, podFromTemplate } from '../ownership/owned-pods.ts'
import { isPodActive, isPodAvailable, isTerminating, nextAvailability } from './pod-availability.ts'
import { rankForDeletion } from './rank-for-deletion.ts'

/** Maximum number of pods created or deleted in one reconcile. */
const BURST = 500

interface Replicated {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
  spec: { replicas?: number; minReadySeconds?: number; template?: PodTemplateSpec }
  status: ReplicaSetStatus
}

interface ReplicaRules {
  selector: LabelSelector | undefined
  /** Pods of the same workload; pods on nodes with many of them are deleted first. */
  neighbours(): readonly Stored<Pod>[]
}

interface Result {
  active: Stored<Pod>[]
  failure?: { reason: 'FailedCreate' | 'FailedDelete'; error: unknown }
}

const addPods = (
  context: ControllerContext,
  set: Replicated,
  active: Stored<Pod>[],
  missing: number,
): Result => {
  const draft = podFromTemplate(set, set.spec.template ?? {})
  const created = createPods(context, set, new Array(Math.min(missing, BURST)).fill(draft))
  const all = [...active, ...created.pods]
  return created.error === undefined
    ? { active: all }
    : { active: all, failure: { reason: 'FailedCreate', error: created.error } }
}

const removePods = (
  context: ControllerContext,
  set: Replicated,
  active: Stored<Pod>[],
  rules: ReplicaRules,
): Result => {
  const excess = active.length - (set.spec.replicas ?? 1)
  const ranked =
    excess < active.length
      ? rankForDeletion(active, rules.neighbours().filter(isPodActive), context.clock.now())
      : active
  const victims = new Set(ranked.slice(0, Math.min(excess, BURST)))
  try {
    for (const pod of victims) deletePod(context, set, pod)
  } catch (error) {
    return { active, failure: { reason: 'FailedDelete', error } }
  }
  return { active: active.filter((pod) => !victims.has(pod)) }
}

const adjustCount = (
  context: ControllerContext,
  set: Replicated,
  active: Stored<Pod>[],
  rules: ReplicaRules,
): Result => {
  const excess = active.length - (set.spec.replicas ?? 1)
  if (isTerminating(set) || excess === 0) return { active }
  return excess < 0 ? addPods(context, set, active, -excess) : removePods(context, set, active, rules)
}

const conditionsOf = (set: Replicated, result: Result, now: number): ReplicaSetCondition[] => {
  const conditions = set.status.conditions ?? []
  const hasFailureCondition = conditions.some(({ type }) => type === 'ReplicaFailure')
  if (result.failure === undefined)
    return hasFailureCondition ? conditions.filter(({ type }) => type !== 'ReplicaFailure') : conditions
  if (hasFailureCondition) return conditions
  const { reason, error } = result.failure
  const failure = { type: 'ReplicaFailure', status: 'True', lastTransitionTime: toTime(now), reason }
  return [...conditions, { ...failure, message: messageOf(error) }]
}

const statusOf = (set: Replicated, result: Result, now: number): ReplicaSetStatus => {
  const labels = set.spec.template?.metadata?.labels ?? {}
  const count = (counts: (pod: Stored<Pod>) => boolean): number => result.active.filter(counts).length
  const fullyLabeledReplicas = count((pod) => hasLabels(pod.metadata.labels, labels))
  const readyReplicas = count(isPodReady)
  const availableReplicas = count((pod) => isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now))
  const conditions = conditionsOf(set, result, now)
  return {
    replicas: result.active.length,
    ...(fullyLabeledReplicas === 0 ? {} : { fullyLabeledReplicas }),
    ...(readyReplicas === 0 ? {} : { readyReplicas }),
    ...(availableReplicas === 0 ? {} : { availableReplicas }),
    ...defined({ observedGeneration: set.metadata.generation }),
    ...(conditions.length === 0 ? {} : { conditions }),
  }
}

/** Creates missing pods or deletes excess ones, at most BURST, and writes the resulting status. */
export const manageReplicas = (
  context: ControllerContext,
  set: Replicated,
  rules: ReplicaRules,
  writeStatus: (status: ReplicaSetStatus) => void,
): void => {
  const { client, clock } = context
  const matches = toLabelMatcher(rules.selector)
  const active = claimOwned(client, pods, set, (pod) => matches(pod.metadata.labels)).filter(isPodActive)
  const result = adjustCount(context, set, active, rules)
  writeStatus(statusOf(set, result, clock.now()))

  const waitMs = nextAvailability(result.active, set.spec.minReadySeconds ?? 0, clock.now())
  if (waitMs !== undefined) context.requeue(keyOf(set), waitMs)
  if (result.failure !== undefined) throw result.failure.error
}
