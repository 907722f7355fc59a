/** The systems there are: every folder here is one. */
import { readdirSync } from 'node:fs'
import type { System } from '../spec/index.ts'

export const listSystemNames = (): string[] =>
  readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()

/** Loads the system of this name, which must be one of those listed. */
export const loadSystem = async (name: string): Promise<System> => {
  const { system } = await import(new URL(`./${name}/system.ts`, import.meta.url).href)
  if (system?.name !== name) throw new Error(`src/systems/${name}/system.ts must export the system "${name}"`)
  return system
}
