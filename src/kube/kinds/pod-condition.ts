/** What a pod's status says about it. */
import type { PodCondition, PodStatus } from 'kubernetes-types/core/v1.d.ts'
import { putCondition } from '../meta/index.ts'

type WithStatus = { readonly status?: PodStatus }

/** The condition of this type, if the status has one. */
export const podCondition = (pod: WithStatus, type: string): PodCondition | undefined =>
  pod.status?.conditions?.find((condition) => condition.type === type)

export const isPodReady = (pod: WithStatus): boolean => podCondition(pod, 'Ready')?.status === 'True'

/** The conditions of the pod with this one among them. */
export const putPodCondition = (
  pod: WithStatus,
  { type, status, reason, message }: Omit<PodCondition, 'lastProbeTime' | 'lastTransitionTime'>,
  now: number,
): PodCondition[] =>
  putCondition<PodCondition>(
    pod.status?.conditions,
    {
      type,
      status,
      // The API shows an explicit null, which the published type does not know.
      lastProbeTime: null as unknown as string,
      ...(reason === undefined ? {} : { reason }),
      ...(message === undefined ? {} : { message }),
    },
    now,
  )

/** Whether its containers have ended and will not start again. */
export const isPodTerminal = (pod: WithStatus): boolean =>
  pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
