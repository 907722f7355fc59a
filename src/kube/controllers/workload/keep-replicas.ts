/** Keeps a number of equal pods alive: what ReplicaSet and ReplicationController have in common. */
import type { ReplicaSetCondition, ReplicaSetStatus } from 'kubernetes-types/apps/v1.d.ts'
import type { Pod, PodTemplateSpec } from 'kubernetes-types/core/v1.d.ts'
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts'
import { isPodReady, pods } from '../../kinds/index.ts'
import { hasLabels, matcherOf, type ObjectMeta, type Stored, toTime } from '../../meta/index.ts'
import { type ControllerContext, keyOf } from '../define-controller.ts'
import { messageOf } from '../message-of.ts'
import { claimOwned } from './claim-owned.ts'
import { createPods, deletePod, podFromTemplate } from './owned-pods.ts'
import { isPodActive, isPodAvailable, isTerminating, nextAvailability } from './pod-availability.ts'
import { rankForDeletion } from './rank-for-deletion.ts'

/** Pods made or deleted in one go; the rest follows in the next. */
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
  /** Pods of the same origin, on whose nodes one would rather have fewer. */
  neighbours(): readonly Stored<Pod>[]
}

interface Kept {
  active: Stored<Pod>[]
  failure?: { reason: 'FailedCreate' | 'FailedDelete'; error: unknown }
}

const addPods = (
  context: ControllerContext,
  set: Replicated,
  active: Stored<Pod>[],
  missing: number,
): Kept => {
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
  excess: number,
  rules: ReplicaRules,
): Kept => {
  const ranked =
    excess < active.length
      ? rankForDeletion(active, rules.neighbours().filter(isPodActive), context.clock.now())
      : active
  const doomed = new Set(ranked.slice(0, Math.min(excess, BURST)))
  try {
    for (const pod of doomed) deletePod(context, set, pod)
  } catch (error) {
    return { active, failure: { reason: 'FailedDelete', error } }
  }
  return { active: active.filter((pod) => !doomed.has(pod)) }
}

const keepNumber = (
  context: ControllerContext,
  set: Replicated,
  active: Stored<Pod>[],
  rules: ReplicaRules,
): Kept => {
  const excess = active.length - (set.spec.replicas ?? 1)
  if (isTerminating(set) || excess === 0) return { active }
  return excess < 0 ? addPods(context, set, active, -excess) : removePods(context, set, active, excess, rules)
}

const conditionsOf = (set: Replicated, kept: Kept, now: number): ReplicaSetCondition[] => {
  const conditions = set.status.conditions ?? []
  const known = conditions.some(({ type }) => type === 'ReplicaFailure')
  if (kept.failure === undefined)
    return known ? conditions.filter(({ type }) => type !== 'ReplicaFailure') : conditions
  if (known) return conditions
  const { reason, error } = kept.failure
  const failure = { type: 'ReplicaFailure', status: 'True', lastTransitionTime: toTime(now), reason }
  return [...conditions, { ...failure, message: messageOf(error) }]
}

const statusOf = (set: Replicated, kept: Kept, now: number): ReplicaSetStatus => {
  const labels = set.spec.template?.metadata?.labels ?? {}
  const count = (counts: (pod: Stored<Pod>) => boolean): number => kept.active.filter(counts).length
  const fullyLabeledReplicas = count((pod) => hasLabels(pod.metadata.labels, labels))
  const readyReplicas = count(isPodReady)
  const availableReplicas = count((pod) => isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now))
  const conditions = conditionsOf(set, kept, now)
  return {
    replicas: kept.active.length,
    ...(fullyLabeledReplicas === 0 ? {} : { fullyLabeledReplicas }),
    ...(readyReplicas === 0 ? {} : { readyReplicas }),
    ...(availableReplicas === 0 ? {} : { availableReplicas }),
    ...(set.metadata.generation === undefined ? {} : { observedGeneration: set.metadata.generation }),
    ...(conditions.length === 0 ? {} : { conditions }),
  }
}

/** Brings the pods of `set` to their number and gives the status that results. */
export const keepReplicas = (
  context: ControllerContext,
  set: Replicated,
  rules: ReplicaRules,
  writeStatus: (status: ReplicaSetStatus) => void,
): void => {
  const { client, clock } = context
  const matches = matcherOf(rules.selector)
  const active = claimOwned(client, pods, set, (pod) => matches(pod.metadata.labels)).filter(isPodActive)
  const kept = keepNumber(context, set, active, rules)
  writeStatus(statusOf(set, kept, clock.now()))

  const wait = nextAvailability(kept.active, set.spec.minReadySeconds ?? 0, clock.now())
  if (wait !== undefined) context.requeue(keyOf(set), wait)
  if (kept.failure !== undefined) throw kept.failure.error
}
