/** Combines the container statistics of all nodes. */
import type { ContainerStatistics } from '#spec'

export const combineContainerStatistics = (nodes: readonly ContainerStatistics[]): ContainerStatistics => ({
  read(podUid) {
    for (const node of nodes) {
      const reading = node.read(podUid)
      if (reading !== undefined) return reading
    }
    return undefined
  },
})
