/** The state of one run of steps: its variables, and its response once there is one. */
import type { IncomingRequest, OutgoingAnswer, TraceContext } from '#world/twin/ports'
import type { MemoryStore } from './memory-store.ts'
import type { ServiceHost } from './service-host.ts'

export type Names = Record<string, unknown>

/** A running service, which all its executions share. */
export interface RunningService {
  readonly host: ServiceHost
  readonly memoryStore: MemoryStore
  /** The variables of all executions: `env`, `config`, `state`. */
  readonly base: Names
}

export interface Execution extends Pick<RunningService, 'host' | 'memoryStore'> {
  /** The variables of expressions. Scopes inherit from each other as prototypes. */
  readonly scope: Names
  /** The scope that results and variables are written to. */
  readonly names: Names
  /** Undefined outside a request. */
  readonly request?: IncomingRequest | undefined
  /** The key of the endpoint; outside a request, the name of the span. */
  readonly endpoint: string
  readonly context: TraceContext
  /** Shared by all scopes of the run; a response ends the run. */
  readonly end: { answer?: OutgoingAnswer }
}

/**
 * Returns the value of the step, or a promise of it. Steps that wait for nothing return no promise: a request has many of them.
 * Can throw as well as reject.
 */
export type Run = (execution: Execution) => unknown

/**
 * Returns the execution for one element. Elements that run in sequence set variables that remain afterwards.
 * Concurrent elements have local variables, because they would overwrite each other's.
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
