/** The messages between a forked process of the laboratory and the process that orders forks. */
import type { Problem } from '#spec'
import type { Failure } from '../worker-messages.ts'

/** Input for a forked process, which replies once to each. */
export interface ForkCall {
  readonly id: number
  readonly input: unknown
}

export type ForkMessage =
  | { readonly kind: 'stage'; readonly text: string }
  /** A heartbeat. */
  | { readonly kind: 'alive' }
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure & { readonly hint?: string } }

/** The id of the reply to the order with which a process was forked. */
export const ORDER_ID = 0

/** Everything that determines a prepared incident. */
export interface IncidentRequest {
  readonly problem: Problem
  /** The name of the engine. */
  readonly engine: string
  /** Draws the details that the problem does not determine. */
  readonly secret: string
}

/** The order of a process that prepares an incident. */
export interface IncidentOrder extends IncidentRequest {
  /** The seed of the cluster. */
  readonly seed: string
}

/** What a process that waits for orders reports. */
export interface ForkPointReport {
  /** The memory that it shares with no other process. */
  readonly mib: number
}
