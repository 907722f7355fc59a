/** Makes nodes unhealthy or unreachable, and makes them ready again. */
import type { Cluster } from '#platform/kube/simulated'

export interface NodeControl {
  /** With `false`, the kubelet stops reporting; containers continue to run. */
  setNodeHealth(node: string, healthy: boolean): void
  /** With `false`, the node and its pods are cut off from the API server and from other nodes. */
  setNodeReachable(node: string, reachable: boolean): Promise<void>
  /** Makes all nodes healthy and reachable. */
  healNodes(): Promise<void>
}

export interface NodeControlOptions {
  readonly cluster: Pick<Cluster, 'kubelets'>
  readonly network: { setNodeReachable(node: string, reachable: boolean): Promise<void> | void }
}

export const createNodeControl = ({ cluster, network }: NodeControlOptions): NodeControl => {
  const unhealthy = new Set<string>()
  const cutOff = new Set<string>()
  const applyHealth = (node: string): void =>
    cluster.kubelets.get(node)?.setHealthy(!unhealthy.has(node) && !cutOff.has(node))
  const setMembership = (set: Set<string>, node: string, member: boolean): void =>
    void (member ? set.add(node) : set.delete(node))
  const setNodeHealth = (node: string, healthy: boolean): void => {
    setMembership(unhealthy, node, !healthy)
    applyHealth(node)
  }
  const setNodeReachable = async (node: string, reachable: boolean): Promise<void> => {
    setMembership(cutOff, node, !reachable)
    await network.setNodeReachable(node, reachable)
    applyHealth(node)
  }
  const healNodes = async (): Promise<void> => {
    for (const node of [...unhealthy]) setNodeHealth(node, true)
    for (const node of [...cutOff]) await setNodeReachable(node, true)
  }
  return { setNodeHealth, setNodeReachable, healNodes }
}
