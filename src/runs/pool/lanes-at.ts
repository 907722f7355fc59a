/** How many workers may play on clusters of the same system at a time: large ones keep cores busy, and slow each other down. */
import { availableParallelism } from 'node:os'
import { listSystemNames, loadSystem } from '../../systems/index.ts'

/** A system of more services than this, with its users, keeps so many cores busy. */
const MANY_SERVICES = 30
const CORES = 2

/** Of systems that are not known here any number. */
export const lanesAt = async (
  systems: Iterable<string>,
  cores = availableParallelism(),
): Promise<(system: string) => number> => {
  const large = new Set<string>()
  for (const name of new Set(systems)) {
    if (!listSystemNames().includes(name)) continue
    const { topology } = await loadSystem(name)
    if (Object.keys(topology?.services ?? {}).length > MANY_SERVICES) large.add(name)
  }
  const few = Math.max(1, Math.floor(cores / CORES))
  return (system) => (large.has(system) ? few : Number.POSITIVE_INFINITY)
}
