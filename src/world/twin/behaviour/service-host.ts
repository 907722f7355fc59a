/** What a behaviour needs from the process that it runs in. */

import type { ServiceSlice } from '#spec'
import type { Expressions } from '#world/expressions'
import type { Log, Meter, Retry, ServiceClient, StoreClient, Tracer } from '#world/twin/ports'

export interface ServiceHost {
  readonly slice: ServiceSlice
  readonly env: Readonly<Record<string, string>>
  /** The contents of the files, by the names of the behaviour. */
  readonly config: Readonly<Record<string, unknown>>
  readonly expressions: Expressions
  readonly tracer: Tracer
  readonly meter: Meter
  readonly log: Log
  /** Signs and verifies tokens. */
  readonly tokenKey?: string | undefined
  /** Seconds. */
  readonly tokenMaxAge?: number | undefined
  /** The maximum number of entries of the memory store. */
  readonly memorySize?: number | undefined
  /** The maximum number of concurrent requests. */
  readonly concurrency?: number | undefined
  /** Writes a line about each request to a file before the response is sent. */
  readonly noteRequest?: ((line: string) => Promise<void>) | undefined
  /** One client per upstream, created on first use. */
  serviceClient(upstream: string): Promise<ServiceClient>
  storeClient(upstream: string): Promise<StoreClient>
  /** In milliseconds. */
  timeoutOf(upstream: string): number | undefined
  retryOf?(upstream: string): Retry | undefined
}
