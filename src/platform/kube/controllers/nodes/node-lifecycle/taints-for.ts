/** Computes the taints of a node from its conditions. */
import type { Node, Taint } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '#platform/kube/meta'

type ManagedTaint = Pick<Taint, 'key' | 'effect'>

const UNREACHABLE = 'node.kubernetes.io/unreachable'
const NOT_READY = 'node.kubernetes.io/not-ready'
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable'
const PRESSURES: readonly [condition: string, key: string][] = [
  ['MemoryPressure', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'node.kubernetes.io/disk-pressure'],
  ['NetworkUnavailable', 'node.kubernetes.io/network-unavailable'],
  ['PIDPressure', 'node.kubernetes.io/pid-pressure'],
]

/** Whether this controller adds and removes the taint. */
const isManaged = ({ key, effect }: Taint): boolean =>
  (effect === 'NoSchedule' &&
    [UNREACHABLE, NOT_READY, UNSCHEDULABLE, ...PRESSURES.map((pressure) => pressure[1])].includes(key)) ||
  (effect === 'NoExecute' && [UNREACHABLE, NOT_READY].includes(key))

const statusOf = ({ status }: Stored<Node>, type: string): string | undefined =>
  status.conditions?.find((condition) => condition.type === type)?.status

const requiredTaints = (node: Stored<Node>, canEvict: boolean): ManagedTaint[] => {
  const ready = statusOf(node, 'Ready')
  const unavailable = ready === 'False' ? NOT_READY : ready === 'Unknown' ? UNREACHABLE : undefined
  return [
    ...(unavailable === undefined ? [] : [{ key: unavailable, effect: 'NoSchedule' }]),
    ...PRESSURES.filter(([type]) => statusOf(node, type) === 'True').map(([, key]) => ({
      key,
      effect: 'NoSchedule',
    })),
    ...(node.spec.unschedulable === true ? [{ key: UNSCHEDULABLE, effect: 'NoSchedule' }] : []),
    ...(unavailable === undefined || !canEvict ? [] : [{ key: unavailable, effect: 'NoExecute' }]),
  ]
}

/** Returns the node's desired taints; existing taints keep their `timeAdded`. */
export const taintsFor = (node: Stored<Node>, canEvict: boolean, now: string): Taint[] => {
  const current = node.spec.taints ?? []
  const required = requiredTaints(node, canEvict)
  // A node without a Ready condition keeps the taints that it was created with.
  const hasReported = statusOf(node, 'Ready') !== undefined
  const isDesired = (taint: Taint): boolean =>
    required.some(({ key, effect }) => key === taint.key && effect === taint.effect)
  const kept = current.filter((taint) => !isManaged(taint) || isDesired(taint) || !hasReported)
  const added = required.filter(
    (taint) => !current.some(({ key, effect }) => key === taint.key && effect === taint.effect),
  )
  return [...kept, ...added.map((taint) => ({ ...taint, timeAdded: now }))]
}
