/** Determines how many of the workers' slots a system takes: a large system keeps several cores busy. */
import { availableParallelism } from 'node:os'
import { DEFAULT_ENGINE } from '#spec'
import { listSystemNames, loadSystem } from '#world/systems'
import { usesMachine } from '../engines.ts'

/** The cores that a system with more than `services` services needs, together with its users. */
const CORE_NEEDS = [
  { services: 30, cores: 2 },
  { services: 5, cores: 1 },
]

const coresFor = (services: number): number => CORE_NEEDS.find((need) => services > need.services)?.cores ?? 0

/**
 * `workers` share the cores evenly, so a slot may be a fraction of a core. An unknown system takes one slot, and so does a simulated one,
 * which keeps only the thread of its worker busy.
 */
export const slotsOf = async (
  systems: Iterable<string>,
  workers: number,
  { engine = DEFAULT_ENGINE, cores = availableParallelism() }: { engine?: string; cores?: number } = {},
): Promise<(system: string) => number> => {
  if (!usesMachine(engine)) return () => 1
  const slots = new Map<string, number>()
  for (const name of new Set(systems)) {
    if (!listSystemNames().includes(name)) continue
    const { topology } = await loadSystem(name)
    const needed = (coresFor(Object.keys(topology?.services ?? {}).length) * workers) / cores
    slots.set(name, Math.min(workers, Math.max(1, needed)))
  }
  return (system) => slots.get(system) ?? 1
}
