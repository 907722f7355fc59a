/** One run of steps: what it knows so far, and the answer once there is one. */
import type { IncomingRequest, OutgoingAnswer, TraceContext } from '../ports/index.ts'

export type Names = Record<string, unknown>

export interface Execution {
  /** What expressions see. Scopes are built on each other as prototypes. */
  readonly scope: Names
  /** Where results and variables are put. */
  readonly names: Names
  /** Absent for work that no request asked for. */
  readonly request?: IncomingRequest | undefined
  /** The key of the endpoint. */
  readonly endpoint: string
  readonly context: TraceContext
  /** Shared by all scopes of the run; an answer ends it. */
  readonly end: { answer?: OutgoingAnswer }
}

/** Gives the value of the step. */
export type Run = (execution: Execution) => Promise<unknown>

/**
 * The run for one element. What is set one after the other is there afterwards; what is set at the same time
 * would only be in each other's way, and is not.
 */
export const forElement = (
  execution: Execution,
  it: unknown,
  index: number,
  together: boolean,
): Execution => {
  const scope: Names = Object.create(execution.scope)
  scope.it = it
  scope.index = index
  return { ...execution, scope, names: together ? scope : execution.names }
}
