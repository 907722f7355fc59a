/** Loads systems and faults by name, each once. */
import { listFaultNames, loadFault } from '#exam/faults'
import { findNearestName } from '#kit'
import { type Fault, RemediumError, type SystemView } from '#spec'
import { createSystemView } from '#world/system-view'
import { listSystemNames, loadSystem } from '#world/systems'

export interface Catalogue {
  readonly faultNames: readonly string[]
  /** Rejects if the name does not exist, and suggests the nearest one. */
  faultOf(name: string): Promise<Fault>
  /** Rejects if the name does not exist, and suggests the nearest one. */
  viewOf(system: string): Promise<SystemView>
}

const checkName = (kind: string, name: string, names: readonly string[]): void => {
  if (names.includes(name)) return
  const nearest = findNearestName(name, names)
  const suggestion = nearest === undefined ? '' : `; did you mean ${nearest}?`
  throw new RemediumError('bad-argument', `there is no ${kind} "${name}"${suggestion}`)
}

const memoise = <T>(load: (name: string) => Promise<T>): ((name: string) => Promise<T>) => {
  const cache = new Map<string, Promise<T>>()
  return (name) => {
    const loading = cache.get(name) ?? load(name)
    cache.set(name, loading)
    return loading
  }
}

export const createCatalogue = (): Catalogue => {
  const systemNames = listSystemNames()
  const faultNames = listFaultNames()
  return {
    faultNames,
    faultOf: memoise(async (name) => {
      checkName('fault', name, faultNames)
      return loadFault(name)
    }),
    viewOf: memoise(async (name) => {
      checkName('system', name, systemNames)
      return createSystemView(await loadSystem(name))
    }),
  }
}
