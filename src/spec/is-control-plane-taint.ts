/** Taints with which the control plane reports the state of a node. */

const NODE_PROBLEMS: readonly string[] = [
  ...['unreachable', 'not-ready', 'unschedulable'],
  ...['memory-pressure', 'disk-pressure', 'network-unavailable', 'pid-pressure'],
]
const EVICTING_PROBLEMS: readonly string[] = ['unreachable', 'not-ready']
const PREFIX = 'node.kubernetes.io/'

const PROBLEMS_BY_EFFECT: Readonly<Record<string, readonly string[]>> = {
  NoSchedule: NODE_PROBLEMS,
  NoExecute: EVICTING_PROBLEMS,
}

/** Whether the node controller manages the taint. Other taints under its prefix belong to the user who added them. */
export const isControlPlaneTaint = ({ key, effect = '' }: { key: string; effect?: string }): boolean =>
  key.startsWith(PREFIX) && PROBLEMS_BY_EFFECT[effect]?.includes(key.slice(PREFIX.length)) === true
