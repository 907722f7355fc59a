/** The taints that follow from the state of a node. */
import type { Node, Taint } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '../../meta/index.ts'

type Reason = Pick<Taint, 'key' | 'effect'>

const UNREACHABLE = 'node.kubernetes.io/unreachable'
const NOT_READY = 'node.kubernetes.io/not-ready'
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable'
const PRESSURES: readonly [condition: string, key: string][] = [
  ['MemoryPressure', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'node.kubernetes.io/disk-pressure'],
  ['NetworkUnavailable', 'node.kubernetes.io/network-unavailable'],
  ['PIDPressure', 'node.kubernetes.io/pid-pressure'],
]

/** Those that this controller alone puts on and takes off. */
const isOurs = ({ key, effect }: Taint): boolean =>
  (effect === 'NoSchedule' &&
    [UNREACHABLE, NOT_READY, UNSCHEDULABLE, ...PRESSURES.map((one) => one[1])].includes(key)) ||
  (effect === 'NoExecute' && [UNREACHABLE, NOT_READY].includes(key))

const statusOf = ({ status }: Stored<Node>, type: string): string | undefined =>
  status.conditions?.find((condition) => condition.type === type)?.status

const wanted = (node: Stored<Node>, mayEvict: boolean): Reason[] => {
  const ready = statusOf(node, 'Ready')
  const away = ready === 'False' ? NOT_READY : ready === 'Unknown' ? UNREACHABLE : undefined
  return [
    ...(away === undefined ? [] : [{ key: away, effect: 'NoSchedule' }]),
    ...PRESSURES.filter(([type]) => statusOf(node, type) === 'True').map(([, key]) => ({
      key,
      effect: 'NoSchedule',
    })),
    ...(node.spec.unschedulable === true ? [{ key: UNSCHEDULABLE, effect: 'NoSchedule' }] : []),
    ...(away === undefined || !mayEvict ? [] : [{ key: away, effect: 'NoExecute' }]),
  ]
}

/** The node's taints as they should be; those already there keep the time at which they came. */
export const taintsFor = (node: Stored<Node>, mayEvict: boolean, now: string): Taint[] => {
  const current = node.spec.taints ?? []
  const reasons = wanted(node, mayEvict)
  // A node that has not told its state yet keeps the taint that it was created with.
  const isSettled = statusOf(node, 'Ready') !== undefined
  const isWanted = (taint: Taint): boolean =>
    reasons.some(({ key, effect }) => key === taint.key && effect === taint.effect)
  const kept = current.filter((taint) => !isOurs(taint) || isWanted(taint) || !isSettled)
  const added = reasons.filter(
    (reason) => !current.some(({ key, effect }) => key === reason.key && effect === reason.effect),
  )
  return [...kept, ...added.map((reason) => ({ ...reason, timeAdded: now }))]
}
