/** How many of the places that workers have on this machine a system takes: a large one keeps cores busy by itself. */
import { availableParallelism } from 'node:os'
import { listSystemNames, loadSystem } from '../../systems/index.ts'

/** A system of more services than this, with its users, wants so many cores for itself. */
const MANY_SERVICES = 30
const CORES = 2

/** `workers` share the cores evenly. Systems that are not known here take one place. */
export const placesOf = async (
  systems: Iterable<string>,
  workers: number,
  cores = availableParallelism(),
): Promise<(system: string) => number> => {
  const large = new Set<string>()
  for (const name of new Set(systems)) {
    if (!listSystemNames().includes(name)) continue
    const { topology } = await loadSystem(name)
    if (Object.keys(topology?.services ?? {}).length > MANY_SERVICES) large.add(name)
  }
  const many = Math.min(workers, Math.max(1, Math.ceil((CORES * workers) / cores)))
  return (system) => (large.has(system) ? many : 1)
}
