/** Whether a node still tells of itself, and what its conditions become when it does not. */
import type { Node, NodeCondition } from 'kubernetes-types/core/v1.d.ts'
import { leases } from '../../kinds/index.ts'
import { fromTime, type Stored, toTime } from '../../meta/index.ts'
import type { Client } from '../../ports/index.ts'

const GRACE_MS = 40_000
const STARTUP_GRACE_MS = 60_000
const CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']

export const readyCondition = ({ status }: Stored<Node>): NodeCondition | undefined =>
  status.conditions?.find(({ type }) => type === 'Ready')

/** When the node is given up unless it is heard of before. `since` is when this controller began to listen. */
export const deadlineOf = (client: Client, node: Stored<Node>, since: number): number => {
  const ready = readyCondition(node)
  const renewed = client.get(leases, 'kube-node-lease', node.metadata.name)?.spec.renewTime
  const told = [ready?.lastHeartbeatTime, renewed].map((time) =>
    time === undefined || time === null ? 0 : fromTime(time),
  )
  const grace = ready === undefined ? STARTUP_GRACE_MS : GRACE_MS
  return Math.max(since, fromTime(node.metadata.creationTimestamp), ...told) + grace
}

/** Everything that is known of the node becomes unknown. */
export const silentConditions = (node: Stored<Node>, now: number): NodeCondition[] => {
  const conditions = node.status.conditions ?? []
  const known = conditions.map((condition) =>
    CONDITIONS.includes(condition.type) && condition.status !== 'Unknown'
      ? {
          ...condition,
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
          lastTransitionTime: toTime(now),
        }
      : condition,
  )
  const never = CONDITIONS.filter((type) => !conditions.some((condition) => condition.type === type)).map(
    (type) => ({
      type,
      status: 'Unknown',
      lastHeartbeatTime: node.metadata.creationTimestamp,
      lastTransitionTime: toTime(now),
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
    }),
  )
  return [...known, ...never]
}
