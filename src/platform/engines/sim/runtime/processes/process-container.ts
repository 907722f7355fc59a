/** What a process needs of its simulated container. */
import type { ProcessNetwork } from '#platform/engines/sim/network'
import type { Span } from '#spec'

export interface ProcessContainer {
  startNetwork(): ProcessNetwork
  exportSpan(span: Span): void
  onError(error: unknown): void
}
