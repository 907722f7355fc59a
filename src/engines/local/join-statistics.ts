/** What containers of all nodes use, as one. */
import type { ContainerStatistics } from '../../spec/index.ts'

export const joinStatistics = (nodes: readonly ContainerStatistics[]): ContainerStatistics => ({
  read(podUid) {
    for (const node of nodes) {
      const reading = node.read(podUid)
      if (reading !== undefined) return reading
    }
    return undefined
  },
})
