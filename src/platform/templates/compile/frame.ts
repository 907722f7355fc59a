/** The state of a running template. */
import type { Keywords } from '../python/value.ts'

/** Marks a slot to which no value has been assigned. */
export const MISSING = Symbol('missing')

/** The variables and plugins of a play, as a running template uses them. */
export interface Context {
  /** Returns MISSING if there is no such variable. */
  resolve(name: string): unknown
  /** Applies a filter by its name, as `map` does. */
  callFilter(name: unknown, value: unknown, args: readonly unknown[], keywords: Keywords): unknown
  /** Applies a test by its name, as `select` does. */
  callTest(name: unknown, value: unknown, args: readonly unknown[], keywords: Keywords): boolean
  /** Milliseconds since 1970. */
  now(): number
  /** The environment of ansible-playbook. */
  readonly environment: Readonly<Record<string, string>>
  /** Renders a value, as lookups do with their terms. */
  render(value: unknown): unknown
  /** The variables before rendering. */
  readonly variables: Readonly<Record<string, unknown>>
  /** Records that the result must not be rendered again. */
  markUnsafe(): void
}

export interface Frame {
  readonly slots: unknown[]
  readonly context: Context
  /** The outputs so far. */
  out: unknown[]
}

export type Evaluate = (frame: Frame) => unknown
export type Execute = (frame: Frame) => void
