/** The interface between a behaviour and the process that runs it. */

import type { ProgramCpu, ProgramMemory, ProgramTime } from '#spec'
import type { ExpressionSources } from '#world/expressions'
import type { Log, Meter, Retry, ServiceClient, StoreClient, Tracer } from '#world/twin/ports'

export interface ServiceHost {
  readonly time: ProgramTime
  readonly cpu: ProgramCpu
  readonly memory: ProgramMemory
  readonly env: Readonly<Record<string, string>>
  /** The contents of the configuration files, by their names in the behaviour. */
  readonly config: Readonly<Record<string, unknown>>
  readonly sources: ExpressionSources
  /** Returns the CPU time that expressions have started to use since the last call, if any. */
  readonly takePendingWork?: () => Promise<void> | undefined
  readonly tracer: Tracer
  readonly meter: Meter
  readonly log: Log
  /** The key that signs and verifies tokens. */
  readonly tokenKey?: string | undefined
  /** In seconds. */
  readonly tokenMaxAge?: number | undefined
  /** The maximum number of entries of the memory store. */
  readonly memorySize?: number | undefined
  /** The maximum number of concurrent requests. */
  readonly concurrency?: number | undefined
  /** Writes a line about each request to a file before the response is sent. */
  readonly logRequest?: ((line: string) => Promise<void>) | undefined
  /** One client per upstream, created on first use. */
  serviceClient(upstream: string): Promise<ServiceClient>
  storeClient(upstream: string): Promise<StoreClient>
  /** In milliseconds. */
  timeoutOf(upstream: string): number | undefined
  retryOf?(upstream: string): Retry | undefined
}
