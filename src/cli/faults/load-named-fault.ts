/** The fault that a user names. */
import { nearestName } from '../../kit/index.ts'
import { type Fault, RemediumError } from '../../spec/index.ts'

export const loadNamedFault = async (name: string): Promise<Fault> => {
  const { listFaultNames, loadFault } = await import('../../faults/index.ts')
  const names = listFaultNames()
  if (names.includes(name)) return await loadFault(name)
  const nearest = nearestName(name, names)
  throw new RemediumError('bad-argument', `There is no fault "${name}".`, {
    hint: nearest === undefined ? 'See "remedium faults" for those there are.' : `Did you mean "${nearest}"?`,
  })
}
