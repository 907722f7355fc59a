/** Chooses the job that a worker does next. */
import type { Job } from '../worker-messages.ts'

export interface Occupancy {
  /** The system of the worker that asks for a job. */
  readonly currentSystem: string | undefined
  /** The systems of all other workers. */
  readonly otherSystems: readonly (string | undefined)[]
  readonly slots: number
  /** The slots that a system takes. */
  slotsOf(system: string): number
}

/**
 * Returns the index of the job, or undefined if none fits. Prefers the worker's current system, then a system
 * that no other worker runs, so that workers keep their clusters. Large systems come first: at the end they
 * would leave other workers idle.
 */
export const chooseJob = (
  jobs: readonly Job[],
  { currentSystem, otherSystems, slots, slotsOf }: Occupancy,
): number | undefined => {
  const taken = otherSystems.reduce((sum, system) => sum + (system === undefined ? 0 : slotsOf(system)), 0)
  const find = (test: (system: string) => boolean): number =>
    jobs.findIndex(({ problem: { system } }) => slotsOf(system) <= slots - taken && test(system))
  const isUnused = (system: string): boolean => !otherSystems.includes(system)
  return [
    find((system) => system === currentSystem),
    find((system) => isUnused(system) && slotsOf(system) > 1),
    find(isUnused),
    find(() => true),
  ].find((index) => index !== -1)
}
