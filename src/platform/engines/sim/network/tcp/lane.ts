/** One direction of a TCP connection. */
import type { Timer } from '#kit'
import { INITIAL_WINDOW, LATENCY_MS, MIN_RTO_MS } from '../constants.ts'
import type { HeldPackets } from '../model/endpoint.ts'
import type { NetworkState } from '../model/network-state.ts'
import type { Route } from '../paths/route.ts'
import { type Flight, wireBytes } from './flight.ts'

/** The error with which the connection ends at the side of the sender. */
export type LaneFailure = 'ECONNRESET' | 'ETIMEDOUT'

export interface Lane extends HeldPackets {
  readonly route: Route
  /** The route of the acknowledgements. */
  readonly back: Route
  /** Messages that are not completely sent, in order. */
  readonly queue: Flight[]
  /** Messages in transit, in order. */
  readonly travelling: Flight[]
  lastArrivalAt: number
  lastSentAt: number
  /** The number of segments that can be sent before the next acknowledgement. */
  window: number
  /** The number of consecutive bursts that were lost completely. */
  failures: number
  retry: Timer | undefined
  isEnded: boolean
  /** Delivers the first message in transit. */
  readonly arrive: () => void
  readonly fail: (code: LaneFailure) => void
}

export interface LaneOptions {
  readonly network: NetworkState
  readonly route: Route
  readonly back: Route
  receive(flight: Flight): void
  fail(code: LaneFailure): void
}

/** Delivers all messages in transit that a fault has delayed. */
const release = ({ clock }: NetworkState, lane: Lane): void => {
  const soon = clock.now() + LATENCY_MS
  lane.lastArrivalAt = Math.min(lane.lastArrivalAt, soon)
  for (const flight of lane.travelling) {
    if (flight.arrivesAt <= soon) continue
    flight.timer!.cancel()
    flight.arrivesAt = soon
    flight.timer = clock.after(LATENCY_MS, lane.arrive)
  }
}

export const createLane = ({ network, route, back, receive, fail }: LaneOptions): Lane => {
  const lane: Lane = {
    route,
    back,
    queue: [],
    travelling: [],
    lastArrivalAt: 0,
    lastSentAt: 0,
    window: INITIAL_WINDOW,
    failures: 0,
    retry: undefined,
    isEnded: false,
    fail,
    arrive() {
      // The timers of one lane can differ by a rounding error. The list keeps the order.
      const flight = lane.travelling.shift()!
      if (route.to.isAttached) {
        if (!route.isLocal) route.to.receivedBytes += wireBytes(flight.bytes)
        receive(flight)
      }
      // The repetition of the segment finds no receiver, and the router resets the connection.
      else network.clock.after(MIN_RTO_MS, () => fail('ECONNRESET'))
    },
    release: () => release(network, lane),
  }
  if (!route.isLocal) route.from.held.add(lane)
  return lane
}

/** Stops sending. Messages in transit still arrive. */
export const endLane = (lane: Lane): void => {
  lane.isEnded = true
  lane.retry?.cancel()
  lane.retry = undefined
  lane.queue.length = 0
  lane.route.from.held.delete(lane)
}
