/** Taints by which a cluster itself tells of a node's state. */

const ILLS: readonly string[] = [
  ...['unreachable', 'not-ready', 'unschedulable'],
  ...['memory-pressure', 'disk-pressure', 'network-unavailable', 'pid-pressure'],
]
const EXPELLING: readonly string[] = ['unreachable', 'not-ready']
const PREFIX = 'node.kubernetes.io/'

const ofEffect: Readonly<Record<string, readonly string[]>> = { NoSchedule: ILLS, NoExecute: EXPELLING }

/** Whether the node controller puts it on and takes it off. Anything else under its prefix is of whoever has put it on, and stays. */
export const isControlPlaneTaint = ({ key, effect = '' }: { key: string; effect?: string }): boolean =>
  key.startsWith(PREFIX) && ofEffect[effect]?.includes(key.slice(PREFIX.length)) === true
