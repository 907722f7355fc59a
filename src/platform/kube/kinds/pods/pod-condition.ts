/** Reads and updates the conditions and the phase of a pod. */
import type { PodCondition, PodStatus } from 'kubernetes-types/core/v1.d.ts'
import { setCondition, toCondition } from '#platform/kube/meta'

type WithStatus = { readonly status?: PodStatus }

/** Returns the condition of this type. */
export const podCondition = (pod: WithStatus, type: string): PodCondition | undefined =>
  pod.status?.conditions?.find((condition) => condition.type === type)

export const isPodReady = (pod: WithStatus): boolean => podCondition(pod, 'Ready')?.status === 'True'

type NewCondition = Omit<PodCondition, 'lastProbeTime' | 'lastTransitionTime'>

// The API returns an explicit null, which the type of kubernetes-types does not allow.
const withNullProbeTime = (condition: NewCondition): Omit<PodCondition, 'lastTransitionTime'> => ({
  ...condition,
  lastProbeTime: null as unknown as string,
})

/** Returns the condition to store in the pod's status. */
export const toPodCondition = (pod: WithStatus, condition: NewCondition, now: number): PodCondition =>
  toCondition(pod.status?.conditions, withNullProbeTime(condition), now)

/** Returns the pod's conditions with this one replaced or appended. */
export const setPodCondition = (pod: WithStatus, condition: NewCondition, now: number): PodCondition[] =>
  setCondition(pod.status?.conditions, withNullProbeTime(condition), now)

/** The condition of a pod that the cluster terminates. Pod failure policies and budgets evaluate it. */
export const disruptionTarget = (reason: string, message: string): NewCondition => ({
  type: 'DisruptionTarget',
  status: 'True',
  reason,
  message,
})

/** Whether the pod has terminated for good. */
export const isPodTerminal = (pod: WithStatus): boolean =>
  pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
