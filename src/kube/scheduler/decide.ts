/** Decides where one pod goes, or what is to be said and done where it fits nowhere. */
import type { Random } from '../../kit/index.ts'
import { chooseNode } from './choose-node.ts'
import type { Cluster, ClusterChange } from './filter.ts'
import { type Fit, findFit } from './fit.ts'
import { fitMessage } from './fit-message.ts'
import type { NodeInfo } from './node-info.ts'
import type { Nominations } from './nominations.ts'
import type { PodInfo } from './pod-info.ts'
import { type Candidate, preempt } from './preemption.ts'

export interface Refused {
  message: string
  wakesOn: ReadonlySet<ClusterChange>
  /** The node that the pod is promised. */
  promised?: string | undefined
  /** Who must leave that node first. */
  candidate?: Candidate
}

export type Decision = { node: NodeInfo } | { refused: Refused }

const refusal = (info: PodInfo, fit: Fit, cluster: Cluster): Refused => {
  const outcome = preempt(info, fit, cluster)
  const wakesOn = new Set([...fit.refusedBy].flatMap((filter) => filter.wakesOn))
  const told = {
    nodeCount: cluster.nodes.length,
    reasons: [...fit.refusals.values()].map(({ reasons }) => reasons),
    podReason: fit.podRefusal,
  }
  if ('candidate' in outcome) {
    const { candidate } = outcome
    return { message: fitMessage(told), wakesOn, promised: candidate.node.name, candidate }
  }
  const message = fitMessage({ ...told, afterwards: outcome.message })
  return { message, wakesOn, promised: outcome.keepsPromise ? info.pod.status.nominatedNodeName : undefined }
}

export const decide = (
  info: PodInfo,
  cluster: Cluster,
  nominations: Nominations,
  random: Random,
): Decision => {
  if (cluster.nodes.length === 0)
    return { refused: { message: 'no nodes available to schedule pods', wakesOn: new Set(['node']) } }
  const fit = findFit(info, cluster, (nodeName) => nominations.ahead(nodeName, info))
  if (fit.feasible.length === 0) return { refused: refusal(info, fit, cluster) }
  // A promised node is taken if it fits by now, without a look at the others.
  const promised = fit.feasible.find(({ name }) => name === info.pod.status.nominatedNodeName)
  return { node: promised ?? chooseNode(info, fit.feasible, cluster, random) }
}
