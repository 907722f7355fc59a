/** How many of the places that workers have on this machine a system takes: a large one keeps cores busy by itself. */
import { availableParallelism } from 'node:os'
import { listSystemNames, loadSystem } from '../../systems/index.ts'

/** A system of more services than this, with its users, wants so many cores for itself. */
const WANTS = [
  { services: 30, cores: 2 },
  { services: 5, cores: 1 },
]

const coresFor = (services: number): number => WANTS.find((wish) => services > wish.services)?.cores ?? 0

/** `workers` share the cores evenly, so a place may be part of a core. Systems that are not known here take one place. */
export const placesOf = async (
  systems: Iterable<string>,
  workers: number,
  cores = availableParallelism(),
): Promise<(system: string) => number> => {
  const places = new Map<string, number>()
  for (const name of new Set(systems)) {
    if (!listSystemNames().includes(name)) continue
    const { topology } = await loadSystem(name)
    const wanted = (coresFor(Object.keys(topology?.services ?? {}).length) * workers) / cores
    places.set(name, Math.min(workers, Math.max(1, wanted)))
  }
  return (system) => places.get(system) ?? 1
}
