/** Which job a worker does next. */
import type { Job } from './worker-messages.ts'

export interface Lanes {
  /** The system of the one that looks for a job. */
  readonly own: string | undefined
  /** Those of all others that are at work. */
  readonly others: readonly (string | undefined)[]
  readonly places: number
  placesOf(system: string): number
}

/**
 * The place in the list, nothing where there is no room for any. The first of the lane's own system; else of one that no
 * other lane is at, so that lanes keep their clusters. What takes much room comes first: it would be left for the end, when the
 * others have nothing to do.
 */
export const chooseJob = (
  jobs: readonly Job[],
  { own, others, places, placesOf }: Lanes,
): number | undefined => {
  const taken = others.reduce((sum, system) => sum + (system === undefined ? 0 : placesOf(system)), 0)
  const find = (test: (system: string) => boolean): number =>
    jobs.findIndex(({ problem: { system } }) => placesOf(system) <= places - taken && test(system))
  const isFree = (system: string): boolean => !others.includes(system)
  return [
    find((system) => system === own),
    find((system) => isFree(system) && placesOf(system) > 1),
    find(isFree),
    find(() => true),
  ].find((index) => index !== -1)
}
