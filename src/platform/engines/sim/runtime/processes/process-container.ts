/** The functions of a simulated container that its processes use. */
import type { ProcessNetwork } from '#platform/engines/sim/network'
import type { Span } from '#spec'

export interface ProcessContainer {
  startNetwork(): ProcessNetwork
  exportSpan(span: Span): void
  onError(error: unknown): void
}
