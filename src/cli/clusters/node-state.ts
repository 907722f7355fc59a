/** In what states a user can put the nodes of a cluster. */
import type { LocalCluster } from '../../engines/local/index.ts'
import { RemediumError } from '../../spec/index.ts'

/** Each with what it means, as the help says it. */
export const NODE_STATES = {
  ready: 'all is well',
  silent: 'its kubelet says nothing more while its containers go on',
  'cut-off': 'neither the API server nor other nodes reach it or its pods',
}

export type NodeState = keyof typeof NODE_STATES

export const setNodeState = async (
  { cluster, setNodeHealth, setNodeReachable }: LocalCluster,
  node: string,
  state: NodeState,
): Promise<void> => {
  if (!cluster.kubelets.has(node)) {
    throw new RemediumError('bad-argument', `There is no node "${node}".`, {
      hint: `Those there are: ${[...cluster.kubelets.keys()].join(', ')}.`,
    })
  }
  setNodeHealth(node, state !== 'silent')
  await setNodeReachable(node, state !== 'cut-off')
}
