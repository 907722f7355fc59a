/** Connects users from outside the cluster to the entry points of a system. */
import type { SimNetwork } from '#platform/engines/sim/network'
import type { EngineCluster, EntryPoint } from '#spec'

export const connectUserTo = (
  network: SimNetwork,
  entries: readonly EntryPoint[],
): Required<Pick<EngineCluster, 'entryPoints' | 'connectUser'>> => ({
  entryPoints: entries.map(({ name, path = '/' }) => ({ name, url: `http://${name}.sim${path}` })),
  async connectUser(entryPoint) {
    const entry = entries.find(({ name }) => name === entryPoint)
    if (entry === undefined) throw new Error(`the system has no entry point "${entryPoint}"`)
    return network.connectFromOutside(entry)
  },
})
