/** Calls while all was well, of the last episodes of a cluster together: shortly after a reset there are few. */
import type { EngineCluster } from '../spec/index.ts'
import type { Calls } from './count-calls.ts'

const REMEMBERED = 10

const remembered = new WeakMap<EngineCluster, Calls[]>()

/** With these, what is remembered of the cluster. */
export const rememberCalls = (cluster: EngineCluster, calls: Calls): Calls => {
  const all = [...(remembered.get(cluster) ?? []), calls].slice(-REMEMBERED)
  remembered.set(cluster, all)
  const sums = new Map<string, Calls[number]>()
  for (const edge of all.flat()) {
    const key = `${edge.from} ${edge.to}`
    const { count = 0, errors = 0 } = sums.get(key) ?? {}
    sums.set(key, { ...edge, count: count + edge.count, errors: errors + edge.errors })
  }
  return [...sums.values()]
}
