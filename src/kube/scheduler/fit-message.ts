/** How the scheduler tells why a pod fits nowhere. */

/** `1 Insufficient cpu, 2 node(s) were unschedulable`: how many nodes gave each reason. */
const histogram = (reasons: Iterable<readonly string[]>): string => {
  const counts = new Map<string, number>()
  for (const list of reasons) for (const reason of list) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ')
}

export interface FitFailure {
  nodeCount: number
  /** One list of reasons per node. */
  reasons: readonly (readonly string[])[]
  /** A reason that holds for all nodes; then theirs are not told. */
  podReason?: string | undefined
  /** What preemption had to say. */
  afterwards?: string | undefined
}

export const fitMessage = ({ nodeCount, reasons, podReason, afterwards }: FitFailure): string => {
  const told = podReason ?? histogram(reasons)
  const end = afterwards === undefined || afterwards === '' ? '' : ` ${afterwards}`
  return `0/${nodeCount} nodes are available:${told === '' ? '' : ` ${told}.`}${end}`
}
