/** Makes nodes sick or cuts them off, and heals those again that somebody did this to. */
import type { BootedCluster } from './boot-cluster.ts'

export const createNodeControl = ({ cluster, network }: Pick<BootedCluster, 'cluster' | 'network'>) => {
  const silent = new Set<string>()
  const cutOff = new Set<string>()
  const settle = (node: string): void =>
    cluster.kubelets.get(node)?.setHealthy(!silent.has(node) && !cutOff.has(node))
  const put = (set: Set<string>, node: string, is: boolean): void =>
    void (is ? set.add(node) : set.delete(node))
  const setNodeHealth = (node: string, healthy: boolean): void => {
    put(silent, node, !healthy)
    settle(node)
  }
  const setNodeReachable = async (node: string, reachable: boolean): Promise<void> => {
    put(cutOff, node, !reachable)
    await network.setNodeReachable(node, reachable)
    settle(node)
  }
  const healNodes = async (): Promise<void> => {
    for (const node of [...silent]) setNodeHealth(node, true)
    for (const node of [...cutOff]) await setNodeReachable(node, true)
  }
  return { setNodeHealth, setNodeReachable, healNodes }
}
