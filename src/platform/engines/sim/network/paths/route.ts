/** One direction between two addresses, and the current treatment of packets on it. */
import type { PacketEffectsState } from '#platform/kube/simulated'
import type { Endpoint } from '../model/endpoint.ts'
import type { Flow } from '../model/policy-table.ts'
import type { TokenBucket } from './token-bucket.ts'

/** The treatment of packets on a route. */
export interface Path {
  /** `blocked`: all are lost. `gone`: the receiver was removed, and the router resets the connection. */
  readonly verdict: 'open' | 'blocked' | 'gone'
  readonly effects: readonly PacketEffectsState[]
  /** In the order in which packets pass them. */
  readonly buckets: readonly TokenBucket[]
  /** Whether all packets arrive after the base latency. */
  readonly isClear: boolean
  /** Whether each segment is handled separately. Otherwise a burst is handled as one packet, as in the kernel. */
  readonly isSegmented: boolean
  /** The delay that effects add on average. */
  readonly meanDelayMs: number
}

export interface Route {
  readonly from: Endpoint
  readonly to: Endpoint
  /** The address to which the sender sends, which can be that of a Service. */
  readonly destination: string
  /** The sender's address that the receiver sees. */
  readonly source: string
  readonly flow: Flow
  /** Whether packets stay inside the network namespace, where no fault applies. */
  readonly isLocal: boolean
  path: Path
  /** The epoch of the network for which `path` holds. */
  epoch: number
}

export const CLEAR: Path = {
  verdict: 'open',
  effects: [],
  buckets: [],
  isClear: true,
  isSegmented: false,
  meanDelayMs: 0,
}

export const BLOCKED: Path = { ...CLEAR, verdict: 'blocked', isClear: false }

export const createRoute = (
  options: Pick<Route, 'from' | 'to' | 'destination' | 'source' | 'flow' | 'isLocal'>,
): Route => ({ ...options, path: BLOCKED, epoch: -1 })
