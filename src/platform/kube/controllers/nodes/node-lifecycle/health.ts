/** The heartbeat deadline of a node, and its conditions once the deadline has passed. */
import type { Node, NodeCondition } from 'kubernetes-types/core/v1.d.ts'
import { leases, nodeReadyCondition } from '#platform/kube/kinds'
import { fromTime, type Stored, toTime } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'

const GRACE_MS = 40_000
const STARTUP_GRACE_MS = 60_000
const KUBELET_CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']

/** Returns the time at which the node becomes unreachable. `startedAt` is the start of the controller. */
export const heartbeatDeadline = (client: Client, node: Stored<Node>, startedAt: number): number => {
  const ready = nodeReadyCondition(node)
  const renewed = client.get(leases, 'kube-node-lease', node.metadata.name)?.spec.renewTime
  const heartbeats = [ready?.lastHeartbeatTime, renewed].map((time) =>
    time === undefined || time === null ? 0 : fromTime(time),
  )
  const grace = ready === undefined ? STARTUP_GRACE_MS : GRACE_MS
  return Math.max(startedAt, fromTime(node.metadata.creationTimestamp), ...heartbeats) + grace
}

/** Returns the conditions of the node, with those of the kubelet set to Unknown. */
export const unknownConditions = (node: Stored<Node>, now: number): NodeCondition[] => {
  const conditions = node.status.conditions ?? []
  const reported = conditions.map((condition) =>
    KUBELET_CONDITIONS.includes(condition.type) && condition.status !== 'Unknown'
      ? {
          ...condition,
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
          lastTransitionTime: toTime(now),
        }
      : condition,
  )
  const neverReported = KUBELET_CONDITIONS.filter(
    (type) => !conditions.some((condition) => condition.type === type),
  ).map((type) => ({
    type,
    status: 'Unknown',
    lastHeartbeatTime: node.metadata.creationTimestamp,
    lastTransitionTime: toTime(now),
    reason: 'NodeStatusNeverUpdated',
    message: 'Kubelet never posted node status.',
  }))
  return [...reported, ...neverReported]
}
