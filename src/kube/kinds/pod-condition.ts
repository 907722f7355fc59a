/** What a pod's status says about it. */
import type { PodCondition, PodStatus } from 'kubernetes-types/core/v1.d.ts'
import { conditionAt, putCondition } from '../meta/index.ts'

type WithStatus = { readonly status?: PodStatus }

/** The condition of this type, if the status has one. */
export const podCondition = (pod: WithStatus, type: string): PodCondition | undefined =>
  pod.status?.conditions?.find((condition) => condition.type === type)

export const isPodReady = (pod: WithStatus): boolean => podCondition(pod, 'Ready')?.status === 'True'

type NewCondition = Omit<PodCondition, 'lastProbeTime' | 'lastTransitionTime'>

// The API shows an explicit null, which the published type does not know.
const neverProbed = (condition: NewCondition): Omit<PodCondition, 'lastTransitionTime'> => ({
  ...condition,
  lastProbeTime: null as unknown as string,
})

/** The condition as the pod's status holds it. */
export const podConditionAt = (pod: WithStatus, condition: NewCondition, now: number): PodCondition =>
  conditionAt(pod.status?.conditions, neverProbed(condition), now)

/** The conditions of the pod with this one among them. */
export const putPodCondition = (pod: WithStatus, condition: NewCondition, now: number): PodCondition[] =>
  putCondition(pod.status?.conditions, neverProbed(condition), now)

/** Says that the cluster ends the pod, and not the pod itself: Jobs and budgets take that into account. */
export const disruptionTarget = (reason: string, message: string): NewCondition => ({
  type: 'DisruptionTarget',
  status: 'True',
  reason,
  message,
})

/** Whether its containers have ended and will not start again. */
export const isPodTerminal = (pod: WithStatus): boolean =>
  pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
