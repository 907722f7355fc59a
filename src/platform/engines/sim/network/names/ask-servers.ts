/**
 * Sends one question to the nameservers of a pod, as the resolver of the C library does: each server in turn, all of them
 * `attempts` times. An answer counts even if it comes after the timeout of its question, while a later one waits.
 * Queries only IPv4 addresses, as the clients of the twin do.
 */
import type { Timer } from '#kit'
import { addressNumber, DNS_ADDRESS, parsePeer, SERVICE_RANGE } from '#platform/kube/simulated'
import { DATAGRAM_BYTES, DNS_WORK_MS, LATENCY_MS } from '../constants.ts'
import type { Process, ProcessPart } from '../model/endpoint.ts'
import { takeErrorToken } from '../model/error-tokens.ts'
import type { NetworkState } from '../model/network-state.ts'
import { passPacket } from '../paths/pass-packet.ts'
import { isCut, pathOf } from '../paths/path-of.ts'
import { createRoute, type Route } from '../paths/route.ts'
import type { ClusterDns, DnsAnswer } from './cluster-dns.ts'
import type { ResolverSettings } from './resolver-settings.ts'

/** `unreachable`: all servers rejected the packets. */
export type Outcome = DnsAnswer | 'timeout' | 'unreachable'

export interface DnsRoutes {
  readonly out: Route
  readonly back: Route
}

export const createDnsRoutes = (network: NetworkState, { endpoint }: Process): DnsRoutes => {
  const server = network.endpoints.get(DNS_ADDRESS)!
  const flow = { client: endpoint, server, protocol: 'UDP', port: 53 } as const
  const [there, here] = [DNS_ADDRESS, endpoint.address]
  return {
    out: createRoute({ from: endpoint, to: server, destination: there, source: here, flow, isLocal: false }),
    back: createRoute({ from: server, to: endpoint, destination: here, source: there, flow, isLocal: false }),
  }
}

interface Question extends ProcessPart {
  readonly network: NetworkState
  readonly dns: ClusterDns
  readonly process: Process
  readonly settings: ResolverSettings
  readonly routes: DnsRoutes
  readonly name: string
  /** Datagrams sent so far. */
  sent: number
  /** Whether a server failed or did not answer. */
  hasFailed: boolean
  hasTimedOut: boolean
  readonly timers: Set<Timer>
  /** Undefined once the question is settled. */
  reply: ((outcome: Outcome) => void) | undefined
}

const settle = (question: Question, outcome: Outcome): void => {
  const { reply, timers, process } = question
  question.reply = undefined
  for (const timer of timers) timer.cancel()
  timers.clear()
  process.parts.delete(question)
  reply?.(outcome)
}

const later = (question: Question, waitMs: number, task: () => void): void => {
  const timer = question.network.clock.after(waitMs, () => {
    question.timers.delete(timer)
    task()
  })
  question.timers.add(timer)
}

const SERVICE_ADDRESSES = parsePeer(SERVICE_RANGE)

/**
 * Whether the resolver detects immediately that its packet was dropped: by the packet filter of its own pod, by an address where
 * no server listens, or by the router, which has no route to the address.
 */
const isRejected = ({ network, process: { endpoint } }: Question, address: string): boolean => {
  if (isCut(endpoint, 'outgoing', address)) return true
  if (address === DNS_ADDRESS || isCut(endpoint, 'incoming', address)) return false
  const exists =
    address.startsWith('127.') ||
    network.endpoints.has(address) ||
    SERVICE_ADDRESSES.contains(addressNumber(address))
  return exists || takeErrorToken(endpoint, network.clock.now())
}

const receiveAnswer = (question: Question, answer: DnsAnswer): void => {
  if (answer === 'server-failure') {
    question.hasFailed = true
    askNext(question)
  } else settle(question, answer)
}

/** Sends the question to the cluster's DNS; its answer arrives later, or never. */
const askCluster = (question: Question): void => {
  const { network, dns, routes, process, name } = question
  const { clock, random } = network
  const now = clock.now()
  const outMs = passPacket(random, pathOf(network, routes.out), DATAGRAM_BYTES, now)
  if (outMs === undefined) return
  const workMs = LATENCY_MS + outMs + DNS_WORK_MS
  const backMs = passPacket(random, pathOf(network, routes.back), DATAGRAM_BYTES, now + workMs)
  if (backMs === undefined) return
  process.endpoint.sentBytes += DATAGRAM_BYTES
  later(question, workMs + LATENCY_MS + backMs, () => {
    process.endpoint.receivedBytes += DATAGRAM_BYTES
    receiveAnswer(question, dns.answer(process.endpoint.address, name))
  })
}

const timeoutOf = ({ timeoutMs, nameservers }: ResolverSettings, server: number): number =>
  server === 0
    ? timeoutMs
    : Math.max(1000, Math.floor((timeoutMs * 2 ** server) / nameservers.length / 1000) * 1000)

const giveUp = (question: Question): void => {
  const { hasFailed, hasTimedOut } = question
  settle(question, hasFailed ? 'server-failure' : hasTimedOut ? 'timeout' : 'unreachable')
}

const askNext = (question: Question): void => {
  const { settings } = question
  const { nameservers, attempts } = settings
  if (question.sent === nameservers.length * attempts) {
    giveUp(question)
    return
  }
  const server = question.sent % nameservers.length
  const address = nameservers[server]!
  question.sent += 1
  if (isRejected(question, address)) {
    later(question, 2 * LATENCY_MS, () => askNext(question))
    return
  }
  const { sent } = question
  later(question, timeoutOf(settings, server), () => {
    // A failure of this server has already led to the next one.
    if (question.sent !== sent) return
    question.hasTimedOut = true
    askNext(question)
  })
  if (address === DNS_ADDRESS) askCluster(question)
}

export interface AskOptions {
  readonly network: NetworkState
  readonly dns: ClusterDns
  readonly process: Process
  readonly settings: ResolverSettings
  readonly routes: DnsRoutes
}

/** Calls `reply` once, later; never if the program ends. */
export const askServers = (options: AskOptions, name: string, reply: (outcome: Outcome) => void): void => {
  const question: Question = {
    ...options,
    name,
    sent: 0,
    hasFailed: false,
    hasTimedOut: false,
    timers: new Set(),
    reply,
    end() {
      question.reply = undefined
      settle(question, 'timeout')
    },
  }
  options.process.parts.add(question)
  askNext(question)
}
