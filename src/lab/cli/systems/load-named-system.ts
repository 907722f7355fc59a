/** Loads the system that a user names, and suggests a similar name if there is none. */
import { findNearestName } from '#kit'
import { RemediumError, type System } from '#spec'

export const loadNamedSystem = async (name: string): Promise<System> => {
  const { listSystemNames, loadSystem } = await import('#world/systems')
  const names = listSystemNames()
  if (names.includes(name)) return await loadSystem(name)
  const nearest = findNearestName(name, names)
  throw new RemediumError('bad-argument', `There is no system "${name}".`, {
    hint: nearest === undefined ? `The systems are: ${names.join(', ')}.` : `Did you mean "${nearest}"?`,
  })
}
