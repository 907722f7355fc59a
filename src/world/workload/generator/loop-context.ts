/** The interface between a generator and its loop, closed or open. */
import type { Clock, Random } from '#kit'
import type { CompiledJourney } from '../journeys/compile-journeys.ts'
import type { User } from '../journeys/user.ts'

export interface LoopContext {
  readonly clock: Clock
  /** Milliseconds since the epoch, with fractions. */
  now(): number
  readonly begin: number
  /** No journey starts at or after this time. */
  readonly end: number
  readonly random: Random
  readonly journeys: ReadonlyMap<string, CompiledJourney>
  isStopping(): boolean
  /** The number of active journey runs. */
  active(): number
  /** Resolves when the run has ended. */
  runJourney(journey: CompiledJourney, user: User, intended: number, random: Random): Promise<void>
  /** Counts a run that was due and did not start. */
  drop(): void
  /** Called once, when the loop will start no more journeys. */
  onExhausted(): void
}

/** A running loop. */
export interface Loop {
  /** Multiplies the arrivals of the load profile by `factor` from now on. */
  setRate(factor: number): void
  /** Drops the sessions and cookies of all users. */
  resetUsers(): void
}

/** The journeys that a load chooses from. */
export const listWeightedJourneys = ({ journeys }: LoopContext): CompiledJourney[] =>
  [...journeys.values()].filter(({ weight }) => weight > 0)
