/** The container runtimes of the nodes in this process, by node name. */
import type { ContainerRuntime, NodeDirectory } from '#platform/kube/ports'

export interface NodeRegistry extends NodeDirectory {
  add(nodeName: string, runtime: ContainerRuntime): void
  remove(nodeName: string): void
}

export const createNodeRegistry = (): NodeRegistry => {
  const runtimes = new Map<string, ContainerRuntime>()
  return {
    runtimeOf: (nodeName) => runtimes.get(nodeName),
    add: (nodeName, runtime) => {
      runtimes.set(nodeName, runtime)
    },
    remove: (nodeName) => {
      runtimes.delete(nodeName)
    },
  }
}
