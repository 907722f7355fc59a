/** Loads the fault that a user names, and suggests a similar name if there is none. */
import { findNearestName } from '#kit'
import { type Fault, RemediumError } from '#spec'

export const loadNamedFault = async (name: string): Promise<Fault> => {
  const { listFaultNames, loadFault } = await import('#exam/faults')
  const names = listFaultNames()
  if (names.includes(name)) return await loadFault(name)
  const nearest = findNearestName(name, names)
  throw new RemediumError('bad-argument', `There is no fault "${name}".`, {
    hint: nearest === undefined ? 'See "remedium faults" for the faults.' : `Did you mean "${nearest}"?`,
  })
}
