/** What a pod's status says about it. */
import type { PodCondition, PodStatus } from 'kubernetes-types/core/v1.d.ts'

type WithStatus = { readonly status?: PodStatus }

/** The condition of this type, if the status has one. */
export const podCondition = (pod: WithStatus, type: string): PodCondition | undefined =>
  pod.status?.conditions?.find((condition) => condition.type === type)

export const isPodReady = (pod: WithStatus): boolean => podCondition(pod, 'Ready')?.status === 'True'

/** Whether its containers have ended and will not start again. */
export const isPodTerminal = (pod: WithStatus): boolean =>
  pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
