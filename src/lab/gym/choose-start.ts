/** Chooses the problem and the seed of an episode from what a caller asks for. */
import { createRandom, drawSecret, findNearestName } from '#kit'
import { type Problem, RemediumError } from '#spec'
import type { Start } from './worker/gym-job.ts'

export interface StartRequest {
  /** The id of a problem of the gym; by default the seed draws one. */
  readonly problem?: string | undefined
  /** Draws everything that the problem does not determine, such as names and addresses; random by default. */
  readonly seed?: string | number | undefined
}

/** `problems` by id, in the order of the suite. */
export const chooseStart = (
  problems: ReadonlyMap<string, Problem>,
  { problem: id, seed: given }: StartRequest,
): Start => {
  const seed = given === undefined ? drawSecret() : String(given)
  if (id === undefined) {
    const all = [...problems.values()]
    return { problem: all[createRandom(`problem ${seed}`).below(all.length)]!, seed }
  }
  const problem = problems.get(id)
  if (problem !== undefined) return { problem, seed }
  const near = findNearestName(id, [...problems.keys()])
  throw new RemediumError('bad-argument', `The gym has no problem "${id.slice(0, 200)}".`, {
    hint:
      near === undefined ? 'The list of problems is in the metadata of the gym.' : `Did you mean "${near}"?`,
  })
}
