/** The system that a user names. */
import { nearestName } from '../../kit/index.ts'
import { RemediumError, type System } from '../../spec/index.ts'

export const loadNamedSystem = async (name: string): Promise<System> => {
  const { listSystemNames, loadSystem } = await import('../../systems/index.ts')
  const names = listSystemNames()
  if (names.includes(name)) return await loadSystem(name)
  const nearest = nearestName(name, names)
  throw new RemediumError('bad-argument', `There is no system "${name}".`, {
    hint: nearest === undefined ? `Those there are: ${names.join(', ')}.` : `Did you mean "${nearest}"?`,
  })
}
