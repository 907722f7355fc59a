/** Writes scheduling conditions and nominated nodes to pods. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { disruptionTarget, pods, setPodCondition } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'

const withNomination = (pod: Stored<Pod>, nominatedNodeName: string | undefined): Stored<Pod>['status'] => {
  const { nominatedNodeName: _, ...status } = pod.status
  return nominatedNodeName === undefined ? status : { ...status, nominatedNodeName }
}

interface SchedulingFailure {
  message: string
  nominatedNode: string | undefined
  now: number
}

/** Sets the PodScheduled condition to False, and sets or clears the nominated node. */
export const writeUnschedulable = (
  client: Client,
  pod: Stored<Pod>,
  { message, nominatedNode, now }: SchedulingFailure,
): void => {
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }
  const status = { ...withNomination(pod, nominatedNode), conditions: setPodCondition(pod, condition, now) }
  client.updateStatus(pods, { ...pod, status })
}

/** Sets the DisruptionTarget condition of a preemption victim. */
export const writePreempted = (client: Client, pod: Stored<Pod>, now: number): void => {
  const condition = disruptionTarget(
    'PreemptionByScheduler',
    'default-scheduler: preempting to accommodate a higher priority pod',
  )
  client.updateStatus(pods, {
    ...pod,
    status: { ...pod.status, conditions: setPodCondition(pod, condition, now) },
  })
}

/** Clears the nominated node. */
export const clearNomination = (client: Client, pod: Stored<Pod>): void => {
  client.updateStatus(pods, { ...pod, status: withNomination(pod, undefined) })
}
