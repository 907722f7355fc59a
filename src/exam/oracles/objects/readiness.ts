/** Checks whether a workload has all desired pods, ready and of its newest template. */
import { type ApiObject, replicasOf, viewAs } from '#spec'

const WORKLOAD_KINDS: readonly string[] = ['Deployment', 'StatefulSet', 'DaemonSet']

export const isWorkload = ({ kind }: ApiObject): boolean => WORKLOAD_KINDS.includes(kind)

export const readyPodsOf = (workload: ApiObject): number =>
  workload.kind === 'DaemonSet'
    ? (viewAs('DaemonSet', workload).status?.numberReady ?? 0)
    : (viewAs('Deployment', workload).status?.readyReplicas ?? 0)

/** Whether all desired pods are ready, and none is of an older template. */
export const isSettled = (workload: ApiObject): boolean => {
  const { metadata, status } = viewAs('Deployment', workload)
  if (metadata?.generation !== undefined && (status?.observedGeneration ?? 0) < metadata.generation)
    return false
  if (workload.kind === 'DaemonSet')
    return readyPodsOf(workload) >= (viewAs('DaemonSet', workload).status?.desiredNumberScheduled ?? 0)
  const desired = replicasOf(workload)
  const { replicas = 0, readyReplicas = 0, updatedReplicas = 0 } = status ?? {}
  return replicas === desired && readyReplicas === desired && updatedReplicas === desired
}
