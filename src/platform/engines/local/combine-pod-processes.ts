/** Combines the pod processes of all nodes. */
import type { PodProcesses } from '#platform/kube'

export const combinePodProcesses = (nodes: readonly PodProcesses[]): PodProcesses => ({
  find(uid) {
    for (const node of nodes) {
      const found = node.find(uid)
      if (found !== undefined) return found
    }
    return undefined
  },
  onRemoval(listener) {
    const unsubscribes = nodes.map((node) => node.onRemoval(listener))
    return () => {
      for (const unsubscribe of unsubscribes) unsubscribe()
    }
  },
})
