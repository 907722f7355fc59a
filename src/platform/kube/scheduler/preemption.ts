/** Chooses lower-priority pods to evict for a pod that fits on no node. */
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.d.ts'
import { memberOf } from '#kit'
import { podDisruptionBudgets } from '#platform/kube/kinds'
import { type Stored, toLabelMatcher } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import type { Cluster } from './filter.ts'
import { type Fit, refusalOn } from './fit.ts'
import { fitMessage } from './fit-message.ts'
import { createNodeInfo, type NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'

export interface Candidate {
  node: NodeInfo
  victims: PodInfo[]
  /** Number of victims whose eviction violates a disruption budget. */
  violations: number
}

/** `keepsNomination` is set for a pod that must not preempt now but keeps its nominated node. */
export type Preemption = { candidate: Candidate } | { message: string; keepsNomination: boolean }

const NOT_HELPFUL = 'Preemption is not helpful for scheduling'
const NO_VICTIMS = 'No preemption victims found for incoming pod'

const startOf = ({ pod }: PodInfo): string => pod.status.startTime ?? pod.metadata.creationTimestamp

/** Orders pods by priority, highest first, and then by start, earliest first. */
const byImportance = (a: PodInfo, b: PodInfo): number =>
  b.priority - a.priority || (startOf(a) < startOf(b) ? -1 : startOf(a) > startOf(b) ? 1 : 0)

/** Splits victims by whether their eviction violates a budget; each victim consumes one disruption. */
const splitByBudget = (victims: readonly PodInfo[], client: Client): [PodInfo[], PodInfo[]] => {
  const budgets = client.list(podDisruptionBudgets).map((budget: Stored<PodDisruptionBudget>) => ({
    budget,
    selects: toLabelMatcher(budget.spec.selector),
    disruptionsLeft: budget.status.disruptionsAllowed ?? 0,
  }))
  const violating: PodInfo[] = []
  const others: PodInfo[] = []
  for (const victim of victims) {
    const { namespace, name, labels } = victim.pod.metadata
    let isViolation = false
    for (const entry of budgets) {
      if (entry.budget.metadata.namespace !== namespace || !entry.selects(labels)) continue
      if (memberOf(entry.budget.status.disruptedPods, name) !== undefined) continue
      entry.disruptionsLeft -= 1
      if (entry.disruptionsLeft < 0) isViolation = true
    }
    if (isViolation) violating.push(victim)
    else others.push(victim)
  }
  return [violating, others]
}

/** Returns the minimal set of victims on this node, or the reasons why preemption does not help. */
const findCandidate = (pod: PodInfo, node: NodeInfo, cluster: Cluster): Candidate | readonly string[] => {
  const lowerPriorityPods = [...node.pods.values()].filter(({ priority }) => priority < pod.priority)
  if (lowerPriorityPods.length === 0) return [NO_VICTIMS]
  const removed = new Set(lowerPriorityPods)
  const simulate = (): NodeInfo =>
    createNodeInfo(
      node.node,
      [...node.pods.values()].filter((candidate) => !removed.has(candidate)),
    )
  const refusal = refusalOn(pod, simulate(), cluster)
  if (refusal !== undefined) return refusal.reasons
  const [violating, others] = splitByBudget([...lowerPriorityPods].sort(byImportance), cluster.client)
  const reprieve = (victim: PodInfo): boolean => {
    removed.delete(victim)
    if (refusalOn(pod, simulate(), cluster) === undefined) return true
    removed.add(victim)
    return false
  }
  let violations = 0
  for (const victim of violating) if (!reprieve(victim)) violations += 1
  for (const victim of others) reprieve(victim)
  return { node, victims: [...removed].sort(byImportance), violations }
}

const sumOfPriorities = ({ victims }: Candidate): number =>
  victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0)

/** Returns the earliest start among the victims with the highest priority. */
const earliestStart = ({ victims }: Candidate): string => {
  const topVictims = victims.filter(({ priority }) => priority === victims[0]!.priority)
  return topVictims.map(startOf).sort()[0] ?? ''
}

/** Orders candidates by budget violations, then by highest priority, sum of priorities, number and age of victims. */
const byDisruption = (a: Candidate, b: Candidate): number =>
  a.violations - b.violations ||
  a.victims[0]!.priority - b.victims[0]!.priority ||
  sumOfPriorities(a) - sumOfPriorities(b) ||
  a.victims.length - b.victims.length ||
  (earliestStart(a) > earliestStart(b) ? -1 : earliestStart(a) < earliestStart(b) ? 1 : 0)

/** Returns why the pod must not preempt at all, or not now. */
const checkEligibility = ({ pod, priority }: PodInfo, { nodes }: Cluster): Preemption | undefined => {
  if (pod.spec.preemptionPolicy === 'Never')
    return { message: 'preemption: not eligible due to preemptionPolicy=Never.', keepsNomination: false }
  const nominated = nodes.find(({ name }) => name === pod.status.nominatedNodeName)
  const hasTerminatingVictim = [...(nominated?.pods.values() ?? [])].some(
    (victim) => victim.priority < priority && victim.pod.metadata.deletionTimestamp !== undefined,
  )
  const message = 'preemption: not eligible due to a terminating pod on the nominated node.'
  return hasTerminatingVictim ? { message, keepsNomination: true } : undefined
}

/** Chooses the node where preemption disrupts least, or returns why there is none. */
export const preempt = (pod: PodInfo, fit: Fit, cluster: Cluster): Preemption => {
  const refused = checkEligibility(pod, cluster)
  if (refused !== undefined) return refused
  const candidates: Candidate[] = []
  const reasons: (readonly string[])[] = []
  for (const node of cluster.nodes) {
    const canHelp = fit.refusals.get(node.name)?.resolvable === true
    const found = canHelp ? findCandidate(pod, node, cluster) : [NOT_HELPFUL]
    if ('victims' in found) candidates.push(found)
    else reasons.push(found)
  }
  const [best] = candidates.sort(byDisruption)
  if (best !== undefined) return { candidate: best }
  const message = `preemption: ${fitMessage({ nodeCount: cluster.nodes.length, reasons })}`
  return { message, keepsNomination: false }
}
