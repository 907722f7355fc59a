/** An address of the network with its complete state, as plain data. */

import type { NetworkFault, PacketEffectsState, PeerRange } from '#platform/kube/simulated'
import type { AcceptConnection } from '#spec'
import { MAX_ERROR_TOKENS } from '../constants.ts'
import type { TokenBucket } from '../paths/token-bucket.ts'

/** Effects on outgoing packets. Without peers, they apply to all packets; with an empty list, to none. */
export interface ActiveEffects {
  readonly state: PacketEffectsState
  readonly buckets: readonly TokenBucket[]
  readonly peers: readonly PeerRange[] | undefined
}

export interface ActiveCut {
  readonly direction: NonNullable<NetworkFault['cut']>
  readonly peers: readonly PeerRange[] | undefined
}

/** A port on which a program listens. */
export interface Listener {
  readonly port: number
  readonly accept: AcceptConnection
  /** The program, which is also the owner of accepted connections. */
  readonly process: Process
}

/** A part of a program that ends with it: a connection, or an attempt to connect. */
export interface ProcessPart {
  /** Ends the part without calling the program. */
  end(): void
}

/** A program on the network. */
export interface Process {
  readonly endpoint: Endpoint
  isEnded: boolean
  readonly parts: Set<ProcessPart>
  /** Name lookups in progress, and those that wait for a thread. */
  lookups: number
  readonly waitingLookups: (() => void)[]
}

/**
 * `refusing`: the address of a Service without endpoints, which resets connections. `silent`: drops all packets.
 * `missing`: no route leads to the address.
 */
export type EndpointKind = 'pod' | 'node' | 'outside' | 'refusing' | 'silent' | 'missing'

/** Sends held packets at once. */
export interface HeldPackets {
  release(): void
}

export interface Endpoint {
  readonly kind: EndpointKind
  readonly address: string
  /** The name of its node; undefined outside the nodes. */
  readonly node: string | undefined
  /** False once the pod is removed from the network. */
  isAttached: boolean
  readonly listeners: Map<number, Listener>
  effects: readonly ActiveEffects[]
  cuts: readonly ActiveCut[]
  /** The limits that annotations set. */
  readonly egress: readonly TokenBucket[]
  readonly ingress: readonly TokenBucket[]
  /** Its outgoing packets that a fault can delay. */
  readonly held: Set<HeldPackets>
  sentBytes: number
  receivedBytes: number
  /** How many errors the router may still send to this address, at the time `errorTokensAt`. */
  errorTokens: number
  errorTokensAt: number
}

export const createEndpoint = (
  kind: EndpointKind,
  address: string,
  options: Partial<Pick<Endpoint, 'node' | 'egress' | 'ingress'>> = {},
): Endpoint => ({
  kind,
  address,
  node: options.node,
  isAttached: true,
  listeners: new Map(),
  effects: [],
  cuts: [],
  egress: options.egress ?? [],
  ingress: options.ingress ?? [],
  held: new Set(),
  sentBytes: 0,
  receivedBytes: 0,
  errorTokens: MAX_ERROR_TOKENS,
  errorTokensAt: 0,
})

export const createProcess = (endpoint: Endpoint): Process => ({
  endpoint,
  isEnded: false,
  parts: new Set(),
  lookups: 0,
  waitingLookups: [],
})
