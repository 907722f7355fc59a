/** What a behaviour needs of the process it runs in. */
import type { Expressions } from '../../expressions/index.ts'
import type { ServiceSlice } from '../../spec/index.ts'
import type { Log, Meter, Retry, ServiceClient, StoreClient, Tracer } from '../ports/index.ts'

export interface Surroundings {
  readonly slice: ServiceSlice
  readonly env: Readonly<Record<string, string>>
  /** The files, by the names that the behaviour gives them. */
  readonly config: Readonly<Record<string, unknown>>
  readonly expressions: Expressions
  readonly tracer: Tracer
  readonly meter: Meter
  readonly log: Log
  /** What signs and proves tokens. */
  readonly tokenKey?: string | undefined
  /** Seconds. */
  readonly tokenMaxAge?: number | undefined
  /** Entries that `memory` keeps at most. */
  readonly memorySize?: number | undefined
  /** Requests at the same time at most. */
  readonly concurrency?: number | undefined
  /** Where requests are noted before they are answered; resolves when that is done. */
  readonly noteRequest?: ((line: string) => Promise<void>) | undefined
  /** One for each upstream, made when it is first asked for. */
  serviceClient(upstream: string): Promise<ServiceClient>
  storeClient(upstream: string): Promise<StoreClient>
  /** Milliseconds, where the upstream says any. */
  timeoutOf(upstream: string): number | undefined
  /** Where the upstream says that calls are tried again. */
  retryOf?(upstream: string): Retry | undefined
}
