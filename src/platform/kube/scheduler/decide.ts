/** Chooses a node for one pod. If no node fits, composes the message and looks for pods to preempt. */
import type { Random } from '#kit'
import { chooseNode } from './choose-node.ts'
import type { Cluster, ClusterChange } from './filter.ts'
import { type Fit, findFit } from './fit.ts'
import { fitMessage } from './fit-message.ts'
import type { NodeInfo } from './node-info.ts'
import type { Nominations } from './nominations.ts'
import type { PodInfo } from './pod-info.ts'
import { type Candidate, preempt } from './preemption.ts'

/** Why a pod cannot be scheduled, and after which changes it is retried. */
export interface Refused {
  message: string
  retriesOn: ReadonlySet<ClusterChange>
  /** The node to nominate for the pod. */
  nominatedNode?: string | undefined
  /** The preemption victims on that node. */
  candidate?: Candidate
}

export type Decision = { node: NodeInfo } | { refused: Refused }

const refusal = (info: PodInfo, fit: Fit, cluster: Cluster): Refused => {
  const outcome = preempt(info, fit, cluster)
  const retriesOn = new Set([...fit.refusedBy].flatMap((filter) => filter.retriesOn))
  const details = {
    nodeCount: cluster.nodes.length,
    reasons: [...fit.refusals.values()].map(({ reasons }) => reasons),
    podReason: fit.podRefusal,
  }
  if ('candidate' in outcome) {
    const { candidate } = outcome
    return { message: fitMessage(details), retriesOn, nominatedNode: candidate.node.name, candidate }
  }
  const message = fitMessage({ ...details, preemptionMessage: outcome.message })
  return {
    message,
    retriesOn,
    nominatedNode: outcome.keepsNomination ? info.pod.status.nominatedNodeName : undefined,
  }
}

export const decide = (
  info: PodInfo,
  cluster: Cluster,
  nominations: Nominations,
  random: Random,
): Decision => {
  if (cluster.nodes.length === 0)
    return { refused: { message: 'no nodes available to schedule pods', retriesOn: new Set(['node']) } }
  const fit = findFit(info, cluster, (nodeName) => nominations.competing(nodeName, info))
  if (fit.feasible.length === 0) return { refused: refusal(info, fit, cluster) }
  // A nominated node that fits is used without scoring the others.
  const nominated = fit.feasible.find(({ name }) => name === info.pod.status.nominatedNodeName)
  return { node: nominated ?? chooseNode(info, fit.feasible, cluster, random) }
}
