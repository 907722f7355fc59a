/** What the scheduler writes on pods: why they have no node, and which one they were promised. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { disruptionTarget, pods, putPodCondition } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import type { Client } from '../ports/index.ts'

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
  const status = { ...nominate(pod, nominated), conditions: putPodCondition(pod, condition, now) }
  client.updateStatus(pods, { ...pod, status })
}

/** Says that the pod must make room for a more important one. */
export const writePreempted = (client: Client, pod: Stored<Pod>, now: number): void => {
  const condition = disruptionTarget(
    'PreemptionByScheduler',
    'default-scheduler: preempting to accommodate a higher priority pod',
  )
  client.updateStatus(pods, {
    ...pod,
    status: { ...pod.status, conditions: putPodCondition(pod, condition, now) },
  })
}

/** Takes back the promise of a node. */
export const clearNomination = (client: Client, pod: Stored<Pod>): void => {
  client.updateStatus(pods, { ...pod, status: nominate(pod, undefined) })
}
