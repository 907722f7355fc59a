/**
 * Opens a TCP connection. The client repeats its SYN after 1 s, five times, and then with doubled waits, until the attempt
 * times out after 131 s. A server whose SYN-ACK was lost also repeats it: for each repeated SYN, and after timeouts.
 */

import type { Timer } from '#kit'
import type { ProgramConnection } from '#spec'
import { LATENCY_MS, SYN_ACK_WAITS_MS, SYN_BYTES, SYN_WAITS_MS } from '../constants.ts'
import type { Endpoint, Process, ProcessPart } from '../model/endpoint.ts'
import { takeErrorToken } from '../model/error-tokens.ts'
import type { NetworkState } from '../model/network-state.ts'
import type { Target } from '../model/translate-address.ts'
import { connectError } from '../network-error.ts'
import { passPacket } from '../paths/pass-packet.ts'
import { pathOf } from '../paths/path-of.ts'
import { createRoute, type Route } from '../paths/route.ts'
import { openConnection } from './connection.ts'

interface Dial extends ProcessPart {
  readonly network: NetworkState
  readonly client: Process
  readonly target: Target
  /** The dialled port, which can differ from that of the server. */
  readonly port: number
  readonly out: Route
  readonly back: Route
  /** SYNs sent so far. */
  sent: number
  /** SYN-ACKs that the server has repeated after timeouts; undefined until a SYN has reached a listening server. */
  repeated: number | undefined
  readonly timers: Set<Timer>
  isSettled: boolean
  resolve(connection: ProgramConnection): void
  reject(error: Error): void
  /** Called once, when the attempt has ended. */
  onSettled(): void
}

const later = (dial: Dial, waitMs: number, task: () => void): void => {
  const timer = dial.network.clock.after(waitMs, () => {
    dial.timers.delete(timer)
    task()
  })
  dial.timers.add(timer)
}

/** Ends the attempt; returns false if it had ended before. */
const settle = (dial: Dial): boolean => {
  if (dial.isSettled) return false
  dial.isSettled = true
  for (const timer of dial.timers) timer.cancel()
  dial.timers.clear()
  dial.client.parts.delete(dial)
  dial.onSettled()
  return true
}

const failWith = (dial: Dial, code: string): void => {
  if (settle(dial)) dial.reject(connectError(code, dial.target.destination, dial.port))
}

const listenerOf = ({ target }: Dial) => target.server.listeners.get(target.port)

/** The answer to a SYN has arrived: the connection is open, or refused. */
const receiveAnswer = (dial: Dial): void => {
  const listener = listenerOf(dial)
  if (listener === undefined) failWith(dial, 'ECONNREFUSED')
  else if (settle(dial)) {
    const { network, client, out, back } = dial
    dial.resolve(openConnection({ network, client, listener, out, back }))
  }
}

/** Sends the answer of the server, which leaves `leavesInMs` from now; returns whether it arrives. */
const sendAnswer = (dial: Dial, leavesInMs: number): boolean => {
  const { network, back } = dial
  const { clock, random } = network
  const delayMs = passPacket(random, pathOf(network, back), SYN_BYTES, clock.now() + leavesInMs)
  if (delayMs === undefined) return false
  later(dial, leavesInMs + LATENCY_MS + delayMs, () => receiveAnswer(dial))
  return true
}

/** Repeats the SYN-ACK of a server that has received no answer. */
const repeatAnswer = (dial: Dial): void => {
  const waitMs = SYN_ACK_WAITS_MS[dial.repeated!]
  if (waitMs === undefined) return
  dial.repeated! += 1
  later(dial, waitMs, () => {
    if (!sendAnswer(dial, 0)) repeatAnswer(dial)
  })
}

/** A SYN reaches the server `delayMs` from now; returns whether its answer arrives. */
const reachServer = (dial: Dial, delayMs: number): boolean => {
  if (sendAnswer(dial, delayMs)) return true
  if (dial.repeated === undefined && listenerOf(dial) !== undefined) {
    dial.repeated = 0
    repeatAnswer(dial)
  }
  return false
}

const isMissing = ({ kind, isAttached }: Endpoint): boolean => kind === 'missing' || !isAttached

/** Sends one SYN; returns whether it is answered. */
const sendSyn = (dial: Dial): boolean => {
  const { network, out, back, target } = dial
  const { clock, random } = network
  const now = clock.now()
  const delayMs = passPacket(random, pathOf(network, out), SYN_BYTES, now)
  if (delayMs === undefined) return false
  if (!isMissing(target.server)) return reachServer(dial, LATENCY_MS + delayMs)
  if (pathOf(network, back).verdict === 'blocked' || !takeErrorToken(out.from, now)) return false
  later(dial, 2 * LATENCY_MS + delayMs, () => failWith(dial, 'ENETUNREACH'))
  return true
}

const attempt = (dial: Dial): void => {
  if (!dial.client.endpoint.isAttached) return
  const waitMs = SYN_WAITS_MS[dial.sent]
  if (waitMs === undefined) {
    failWith(dial, 'ETIMEDOUT')
    return
  }
  dial.sent += 1
  if (!sendSyn(dial)) later(dial, waitMs, () => attempt(dial))
}

const createRoutes = (client: Endpoint, target: Target): { out: Route; back: Route } => {
  const { server, port, destination, source, isLocal } = target
  const flow = { client, server, protocol: 'TCP', port } as const
  return {
    out: createRoute({ from: client, to: server, destination, source, flow, isLocal }),
    back: createRoute({ from: server, to: client, destination: source, source: destination, flow, isLocal }),
  }
}

/** Rejects with the reason of the signal, or an error of code `ECONNREFUSED`, `ENETUNREACH` or `ETIMEDOUT`. */
export const dialTarget = (
  network: NetworkState,
  client: Process,
  target: Target,
  { port, signal }: { port: number; signal?: AbortSignal | undefined },
): Promise<ProgramConnection> =>
  new Promise((resolve, reject) => {
    if (client.isEnded) return
    if (signal?.aborted === true) {
      reject(signal.reason)
      return
    }
    const dial: Dial = {
      network,
      client,
      target,
      port,
      ...createRoutes(client.endpoint, target),
      sent: 0,
      repeated: undefined,
      timers: new Set(),
      isSettled: false,
      resolve,
      reject,
      onSettled: () => signal?.removeEventListener('abort', onAbort),
      end() {
        settle(dial)
      },
    }
    const onAbort = (): void => {
      if (settle(dial)) reject(signal!.reason)
    }
    signal?.addEventListener('abort', onAbort)
    client.parts.add(dial)
    attempt(dial)
  })
