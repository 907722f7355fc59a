/** Public interface of the faults: each folder but `testing` defines one. */
import { readdirSync } from 'node:fs'
import type { Fault } from '#spec'

export const listFaultNames = (): string[] =>
  readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'testing')
    .map(({ name }) => name)
    .sort()

/** Loads a fault. The name must be one of `listFaultNames`. */
export const loadFault = async (name: string): Promise<Fault> => {
  const { fault } = await import(new URL(`./${name}/fault.ts`, import.meta.url).href)
  if (fault?.name !== name)
    throw new Error(`src/exam/faults/${name}/fault.ts must export the fault "${name}"`)
  return fault
}

/** Loads all faults, keyed by name. */
export const loadFaults = async (): Promise<ReadonlyMap<string, Fault>> =>
  new Map(await Promise.all(listFaultNames().map(async (name) => [name, await loadFault(name)] as const)))
