/** The registry of systems: each folder here is one. */
import { readdirSync } from 'node:fs'
import { RemediumError, type System } from '#spec'

export const listSystemNames = (): string[] =>
  readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()

const brokenFolder = (name: string, reason: string, cause?: unknown): RemediumError =>
  new RemediumError('bad-file', `The system in src/world/systems/${name} cannot be loaded: ${reason}`, {
    hint: 'CONTRIBUTING.md says what the folder of a system contains.',
    cause,
  })

/** `name` must be one of `listSystemNames`. */
export const loadSystem = async (name: string): Promise<System> => {
  const file = new URL(`./${name}/system.ts`, import.meta.url)
  const { system } = await import(file.href).catch((error) => {
    // A topology with errors is reported by file and line.
    if (error instanceof RemediumError) throw error
    throw brokenFolder(name, error.message, error)
  })
  if (system?.name !== name)
    throw brokenFolder(name, `system.ts must export the system "${name}" as "system".`)
  return system
}
