/** What the scheduler writes on pods: why they have no node, and which one they were promised. */
import type { Pod, PodCondition } from 'kubernetes-types/core/v1.d.ts'
import { pods } from '../kinds/index.ts'
import { type Stored, toTime } from '../meta/index.ts'
import type { Client } from '../ports/index.ts'

const put = (
  pod: Stored<Pod>,
  { type, status, reason, message }: Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>,
  now: number,
): PodCondition[] => {
  const old = pod.status.conditions ?? []
  const before = old.find((condition) => condition.type === type)
  const next: PodCondition = {
    type,
    status,
    // The API shows an explicit null, which the published type does not know.
    lastProbeTime: null as unknown as string,
    lastTransitionTime:
      before?.status === status && before.lastTransitionTime !== undefined
        ? before.lastTransitionTime
        : toTime(now),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  }
  return before === undefined ? [...old, next] : old.map((one) => (one === before ? next : one))
}

const nominate = (pod: Stored<Pod>, nominatedNodeName: string | undefined): Stored<Pod>['status'] => {
  const { nominatedNodeName: _, ...status } = pod.status
  return nominatedNodeName === undefined ? status : { ...status, nominatedNodeName }
}

/** Says that the pod has no node, and which one it was promised, if any. */
export const writeUnschedulable = (
  client: Client,
  pod: Stored<Pod>,
  message: string,
  nominated: string | undefined,
  now: number,
): void => {
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }
  const status = { ...nominate(pod, nominated), conditions: put(pod, condition, now) }
  client.updateStatus(pods, { ...pod, status })
}

/** Says that the pod must make room for a more important one. */
export const writePreempted = (client: Client, pod: Stored<Pod>, now: number): void => {
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'PreemptionByScheduler',
    message: 'default-scheduler: preempting to accommodate a higher priority pod',
  }
  client.updateStatus(pods, { ...pod, status: { ...pod.status, conditions: put(pod, condition, now) } })
}

/** Takes back the promise of a node. */
export const clearNomination = (client: Client, pod: Stored<Pod>): void => {
  client.updateStatus(pods, { ...pod, status: nominate(pod, undefined) })
}
