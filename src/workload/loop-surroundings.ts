/** What a generator gives to its loop, closed or open. */
import type { Clock, Random } from '../kit/index.ts'
import type { CompiledJourney } from './compile-journey.ts'
import type { User } from './user.ts'

export interface LoopSurroundings {
  readonly clock: Clock
  /** Milliseconds since the epoch, with fractions. */
  now(): number
  readonly begin: number
  /** Nothing begins then or later. */
  readonly end: number
  readonly random: Random
  readonly journeys: ReadonlyMap<string, CompiledJourney>
  isStopping(): boolean
  /** How many walks are on their way. */
  onWay(): number
  /** Resolves when the walk has ended. */
  walk(journey: CompiledJourney, user: User, intended: number, random: Random): Promise<void>
  /** A walk that should have begun and did not. */
  drop(): void
  /** Told once: the loop begins nothing more. */
  exhausted(): void
}

/** A running loop, which takes orders. */
export interface Loop {
  /** So many times as many as the load says arrive from now on. */
  setRate(factor: number): void
  /** Everybody forgets what he carries. */
  renewUsers(): void
}

/** Those that users walk by themselves. */
export const walkedByWeight = ({ journeys }: LoopSurroundings): CompiledJourney[] =>
  [...journeys.values()].filter(({ weight }) => weight > 0)
