/** Makes room for a pod by choosing less important ones to go. */
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.d.ts'
import { memberOf } from '../../kit/index.ts'
import { podDisruptionBudgets } from '../kinds/index.ts'
import { matcherOf, type Stored } from '../meta/index.ts'
import type { Client } from '../ports/index.ts'
import type { Cluster } from './filter.ts'
import { type Fit, refusalOn } from './fit.ts'
import { fitMessage } from './fit-message.ts'
import { type NodeInfo, nodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'

export interface Candidate {
  node: NodeInfo
  victims: PodInfo[]
  /** How many victims a disruption budget would rather keep. */
  violations: number
}

/** A pod that is not to preempt just now may still keep the node it was promised. */
export type Preemption = { candidate: Candidate } | { message: string; keepsPromise: boolean }

const NOT_HELPFUL = 'Preemption is not helpful for scheduling'
const NO_VICTIMS = 'No preemption victims found for incoming pod'

const startOf = ({ pod }: PodInfo): string => pod.status.startTime ?? pod.metadata.creationTimestamp

/** The more important first: higher priority, then longer running. */
const byImportance = (a: PodInfo, b: PodInfo): number =>
  b.priority - a.priority || (startOf(a) < startOf(b) ? -1 : startOf(a) > startOf(b) ? 1 : 0)

/** Splits victims by whether their going breaks a budget, given that each one uses it up. */
const splitByBudget = (victims: readonly PodInfo[], client: Client): [PodInfo[], PodInfo[]] => {
  const budgets = client.list(podDisruptionBudgets).map((budget: Stored<PodDisruptionBudget>) => ({
    budget,
    selects: matcherOf(budget.spec.selector),
    left: budget.status.disruptionsAllowed ?? 0,
  }))
  const violating: PodInfo[] = []
  const others: PodInfo[] = []
  for (const victim of victims) {
    const { namespace, name, labels } = victim.pod.metadata
    let violates = false
    for (const entry of budgets) {
      if (entry.budget.metadata.namespace !== namespace || !entry.selects(labels)) continue
      if (memberOf(entry.budget.status.disruptedPods, name) !== undefined) continue
      entry.left -= 1
      if (entry.left < 0) violates = true
    }
    if (violates) violating.push(victim)
    else others.push(victim)
  }
  return [violating, others]
}

/** The fewest pods that must leave this node, or why their leaving would not do. */
const candidateOn = (pod: PodInfo, node: NodeInfo, cluster: Cluster): Candidate | readonly string[] => {
  const lower = [...node.pods.values()].filter(({ priority }) => priority < pod.priority)
  if (lower.length === 0) return [NO_VICTIMS]
  const gone = new Set(lower)
  const imagined = (): NodeInfo =>
    nodeInfo(
      node.node,
      [...node.pods.values()].filter((one) => !gone.has(one)),
    )
  const refusal = refusalOn(pod, imagined(), cluster)
  if (refusal !== undefined) return refusal.reasons
  const [violating, others] = splitByBudget([...lower].sort(byImportance), cluster.client)
  const spare = (victim: PodInfo): boolean => {
    gone.delete(victim)
    if (refusalOn(pod, imagined(), cluster) === undefined) return true
    gone.add(victim)
    return false
  }
  let violations = 0
  for (const victim of violating) if (!spare(victim)) violations += 1
  for (const victim of others) spare(victim)
  return { node, victims: [...gone].sort(byImportance), violations }
}

const sumOfPriorities = ({ victims }: Candidate): number =>
  victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0)

/** The start of the longest running among the most important victims. */
const earliestStart = ({ victims }: Candidate): string => {
  const top = victims.filter(({ priority }) => priority === victims[0]!.priority)
  return top.map(startOf).sort()[0] ?? ''
}

/** Least harm first: budgets, the most important victim, all of them, their number, their age. */
const byHarm = (a: Candidate, b: Candidate): number =>
  a.violations - b.violations ||
  a.victims[0]!.priority - b.victims[0]!.priority ||
  sumOfPriorities(a) - sumOfPriorities(b) ||
  a.victims.length - b.victims.length ||
  (earliestStart(a) > earliestStart(b) ? -1 : earliestStart(a) < earliestStart(b) ? 1 : 0)

/** Why the pod may not preempt at all, or not now. */
const ineligible = ({ pod, priority }: PodInfo, { nodes }: Cluster): Preemption | undefined => {
  if (pod.spec.preemptionPolicy === 'Never')
    return { message: 'preemption: not eligible due to preemptionPolicy=Never.', keepsPromise: false }
  const nominated = nodes.find(({ name }) => name === pod.status.nominatedNodeName)
  const isLeaving = [...(nominated?.pods.values() ?? [])].some(
    (other) => other.priority < priority && other.pod.metadata.deletionTimestamp !== undefined,
  )
  const message = 'preemption: not eligible due to a terminating pod on the nominated node.'
  return isLeaving ? { message, keepsPromise: true } : undefined
}

/** Chooses the node where room can be made with least harm, or says why there is none. */
export const preempt = (pod: PodInfo, fit: Fit, cluster: Cluster): Preemption => {
  const refused = ineligible(pod, cluster)
  if (refused !== undefined) return refused
  const candidates: Candidate[] = []
  const reasons: (readonly string[])[] = []
  for (const node of cluster.nodes) {
    const mayHelp = fit.refusals.get(node.name)?.resolvable === true
    const found = mayHelp ? candidateOn(pod, node, cluster) : [NOT_HELPFUL]
    if ('victims' in found) candidates.push(found)
    else reasons.push(found)
  }
  const [best] = candidates.sort(byHarm)
  if (best !== undefined) return { candidate: best }
  const message = `preemption: ${fitMessage({ nodeCount: cluster.nodes.length, reasons })}`
  return { message, keepsPromise: false }
}
