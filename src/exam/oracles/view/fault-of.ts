/** Looks up the faults that a record names. */
import { type Fault, type FaultCase, type PlannedFault, RemediumError } from '#spec'
import type { EpisodeFacts } from './episode-view.ts'

/** Throws if the fault does not exist: such a record cannot be judged. */
export const faultOf = ({ faults }: EpisodeFacts, name: string): Fault => {
  const fault = faults.get(name)
  if (fault === undefined)
    throw new RemediumError('bad-file', `The record names the fault "${name}", which does not exist.`)
  return fault
}

export const toCase = ({ system }: EpisodeFacts, { target, params }: PlannedFault): FaultCase => ({
  system,
  target,
  params,
})
