/** Makes nodes unhealthy or unreachable, and makes them ready again. */
import type { BootedCluster } from './boot-cluster.ts'

export const createNodeControl = ({ cluster, network }: Pick<BootedCluster, 'cluster' | 'network'>) => {
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
