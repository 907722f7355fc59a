/** The systems and faults that problems name, each loaded once. */
import { listFaultNames, loadFault } from '../faults/index.ts'
import { nearestName } from '../kit/index.ts'
import { type Fault, RemediumError, type SystemView } from '../spec/index.ts'
import { createSystemView } from '../system-view/index.ts'
import { listSystemNames, loadSystem } from '../systems/index.ts'

export interface Catalogue {
  readonly faultNames: readonly string[]
  /** Rejects where there is none of this name, with the nearest one. */
  faultOf(name: string): Promise<Fault>
  /** Rejects where there is none of this name, with the nearest one. */
  viewOf(system: string): Promise<SystemView>
}

const check = (what: string, name: string, names: readonly string[]): void => {
  if (names.includes(name)) return
  const near = nearestName(name, names)
  const guess = near === undefined ? '' : `; did you mean ${near}?`
  throw new RemediumError('bad-argument', `there is no ${what} "${name}"${guess}`)
}

const remember = <T>(load: (name: string) => Promise<T>): ((name: string) => Promise<T>) => {
  const known = new Map<string, Promise<T>>()
  return (name) => {
    const found = known.get(name) ?? load(name)
    known.set(name, found)
    return found
  }
}

export const createCatalogue = (): Catalogue => {
  const systemNames = listSystemNames()
  const faultNames = listFaultNames()
  return {
    faultNames,
    faultOf: remember(async (name) => {
      check('fault', name, faultNames)
      return loadFault(name)
    }),
    viewOf: remember(async (name) => {
      check('system', name, systemNames)
      return createSystemView(await loadSystem(name))
    }),
  }
}
