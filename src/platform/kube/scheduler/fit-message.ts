/** Formats the message for a pod that fits on no node. */

/** `1 Insufficient cpu, 2 node(s) were unschedulable`: the number of nodes per reason. */
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
  /** A reason that applies to all nodes; replaces the reasons per node. */
  podReason?: string | undefined
  /** The message about preemption, which is appended. */
  preemptionMessage?: string | undefined
}

export const fitMessage = ({ nodeCount, reasons, podReason, preemptionMessage }: FitFailure): string => {
  const summary = podReason ?? histogram(reasons)
  const suffix = preemptionMessage === undefined || preemptionMessage === '' ? '' : ` ${preemptionMessage}`
  return `0/${nodeCount} nodes are available:${summary === '' ? '' : ` ${summary}.`}${suffix}`
}
