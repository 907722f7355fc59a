/** The faults there are: every folder here is one. */
import { readdirSync } from 'node:fs'
import type { Fault } from '../spec/index.ts'

export const listFaultNames = (): string[] =>
  readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()

/** Loads the fault of this name, which must be one of those listed. */
export const loadFault = async (name: string): Promise<Fault> => {
  const { fault } = await import(new URL(`./${name}/fault.ts`, import.meta.url).href)
  if (fault?.name !== name) throw new Error(`src/faults/${name}/fault.ts must export the fault "${name}"`)
  return fault
}

/** By name. */
export const loadFaults = async (): Promise<ReadonlyMap<string, Fault>> =>
  new Map(await Promise.all(listFaultNames().map(async (name) => [name, await loadFault(name)] as const)))
