/** Sums the calls of recent baselines of a cluster: a single baseline soon after a reset has few calls. */
import type { EngineCluster } from '#spec'
import type { Calls } from './count-calls.ts'

const MAX_BASELINES = 10

const baselines = new WeakMap<EngineCluster, Calls[]>()

/** Adds the calls of one baseline and returns the sum over the recent baselines. */
export const addBaselineCalls = (cluster: EngineCluster, calls: Calls): Calls => {
  const recent = [...(baselines.get(cluster) ?? []), calls].slice(-MAX_BASELINES)
  baselines.set(cluster, recent)
  const sums = new Map<string, Calls[number]>()
  for (const edge of recent.flat()) {
    const key = `${edge.from} ${edge.to}`
    const { count = 0, errors = 0 } = sums.get(key) ?? {}
    sums.set(key, { ...edge, count: count + edge.count, errors: errors + edge.errors })
  }
  return [...sums.values()]
}
