/** Sets the state of a node of a cluster. */

import { RemediumError } from '#spec'
import type { ControlledCluster } from './controlled-cluster.ts'

/** The states, with their descriptions for the help text. */
export const NODE_STATES = {
  ready: 'the node works',
  silent: 'its kubelet stops reporting, its containers keep running',
  'cut-off': 'the API server and other nodes cannot reach it or its pods',
}

export type NodeState = keyof typeof NODE_STATES

export const setNodeState = async (
  { cluster, setNodeHealth, setNodeReachable }: ControlledCluster,
  node: string,
  state: NodeState,
): Promise<void> => {
  if (!cluster.kubelets.has(node)) {
    throw new RemediumError('bad-argument', `There is no node "${node}".`, {
      hint: `The nodes are: ${[...cluster.kubelets.keys()].join(', ')}.`,
    })
  }
  setNodeHealth(node, state !== 'silent')
  await setNodeReachable(node, state !== 'cut-off')
}
