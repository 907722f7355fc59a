/** The registry of systems: each folder here is one. */
import { readdirSync } from 'node:fs'
import type { System } from '#spec'
import { loadSystemFrom } from './load-system-from.ts'

export const listSystemNames = (): string[] =>
  readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()

/** `name` must be one of `listSystemNames`. */
export const loadSystem = (name: string): Promise<System> => loadSystemFrom(import.meta.dirname, name)
