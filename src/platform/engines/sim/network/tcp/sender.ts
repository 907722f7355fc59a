/** The sending side of one direction of a TCP connection. */
import type { Timer } from '#kit'
import { INITIAL_WINDOW, LATENCY_MS, MIN_RTO_MS } from '../constants.ts'
import type { HeldPackets } from '../model/endpoint.ts'
import type { NetworkState } from '../model/network-state.ts'
import type { Route } from '../paths/route.ts'
import { type Flight, wireBytes } from './flight.ts'

/** The error with which the connection ends for the sender. */
export type SenderFailure = 'ECONNRESET' | 'ETIMEDOUT'

export interface Sender extends HeldPackets {
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
  readonly fail: (code: SenderFailure) => void
}

export interface SenderOptions {
  readonly network: NetworkState
  readonly route: Route
  readonly back: Route
  receive(flight: Flight): void
  fail(code: SenderFailure): void
}

/** Delivers all messages in transit that a fault has delayed. */
const release = ({ clock }: NetworkState, sender: Sender): void => {
  const soon = clock.now() + LATENCY_MS
  sender.lastArrivalAt = Math.min(sender.lastArrivalAt, soon)
  for (const flight of sender.travelling) {
    if (flight.arrivesAt <= soon) continue
    flight.timer!.cancel()
    flight.arrivesAt = soon
    flight.timer = clock.after(LATENCY_MS, sender.arrive)
  }
}

export const createSender = ({ network, route, back, receive, fail }: SenderOptions): Sender => {
  const sender: Sender = {
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
      // The timers of one sender can differ by a rounding error. The list keeps the order.
      const flight = sender.travelling.shift()!
      if (route.to.isAttached) {
        if (!route.isLocal) route.to.receivedBytes += wireBytes(flight.bytes)
        receive(flight)
      }
      // The repetition of the segment finds no receiver, and the router resets the connection.
      else network.clock.after(MIN_RTO_MS, () => fail('ECONNRESET'))
    },
    release: () => release(network, sender),
  }
  if (!route.isLocal) route.from.held.add(sender)
  return sender
}

/** Stops sending. Messages in transit still arrive. */
export const endSender = (sender: Sender): void => {
  sender.isEnded = true
  sender.retry?.cancel()
  sender.retry = undefined
  sender.queue.length = 0
  sender.route.from.held.delete(sender)
}
