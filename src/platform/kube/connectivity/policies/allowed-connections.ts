/**
 * Converts one rule of a NetworkPolicy to the connections that it allows. They are described by the client, the server
 * and the port of a connection, not of a packet: both directions of a connection are treated alike.
 */
import type { IPBlock, NetworkPolicyPeer, NetworkPolicyPort } from 'kubernetes-types/networking/v1.d.ts'
import { toLabelMatcher } from '#platform/kube/meta'
import { addressNumber, type PeerRange, parsePeer } from '#platform/kube/packets'
import type { PolicyPod } from './policy-pod.ts'

export type Direction = 'Ingress' | 'Egress'

/** The addresses of clients (ingress) or servers (egress). */
export type AllowedPeers =
  | { readonly kind: 'any' }
  | { readonly kind: 'pods'; readonly addresses: readonly string[] }
  | { readonly kind: 'block'; readonly range: PeerRange; readonly except: readonly PeerRange[] }

/** Ports of the server; all of the protocol if there is no first one. */
export interface AllowedPorts {
  /** For example `TCP`. */
  readonly protocol: string
  readonly first?: number
  readonly last?: number
}

export interface AllowedConnections {
  readonly peers: AllowedPeers
  /** All ports by default. */
  readonly ports?: AllowedPorts
}

export interface RuleContext {
  direction: Direction
  /** The namespace of the policy. */
  namespace: string
  /** The pod that the policy selects. */
  pod: PolicyPod
  /** All pods that peers can select. */
  candidates: readonly PolicyPod[]
}

export interface PolicyRule {
  ports?: readonly NetworkPolicyPort[]
  peers?: readonly NetworkPolicyPeer[]
}

/** The API also accepts `10.0.0.0/08`. */
const parseBlockRange = (cidr: string): PeerRange => {
  const [address, bits] = cidr.split('/')
  return parsePeer(`${address}/${Number(bits)}`)
}

const isIPv4Range = (cidr: string): boolean => !cidr.includes(':')

const toBlock = ({ cidr, except = [] }: IPBlock): AllowedPeers[] =>
  isIPv4Range(cidr)
    ? [{ kind: 'block', range: parseBlockRange(cidr), except: except.map(parseBlockRange) }]
    : []

const selectedBy = (peer: NetworkPolicyPeer, { namespace, candidates }: RuleContext): PolicyPod[] => {
  const { podSelector = {}, namespaceSelector } = peer
  const matchesPod = toLabelMatcher(podSelector)
  const matchesNamespace = toLabelMatcher(namespaceSelector)
  return candidates.filter(
    (pod) =>
      matchesPod(pod.labels) &&
      (namespaceSelector === undefined ? pod.namespace === namespace : matchesNamespace(pod.namespaceLabels)),
  )
}

interface RulePeers {
  readonly isAny: boolean
  /** The selected pods. */
  readonly pods: readonly PolicyPod[]
  readonly allowed: readonly AllowedPeers[]
}

const peersOf = (rule: PolicyRule, context: RuleContext): RulePeers => {
  const peers = rule.peers ?? []
  if (peers.length === 0) return { isAny: true, pods: [], allowed: [{ kind: 'any' }] }
  const pods = peers.flatMap((peer) => (peer.ipBlock === undefined ? selectedBy(peer, context) : []))
  const addresses = [...new Set(pods.map(({ ip }) => ip))].sort()
  const blocks = peers.flatMap(({ ipBlock }) => (ipBlock === undefined ? [] : toBlock(ipBlock)))
  return {
    isAny: false,
    pods,
    allowed: [...(addresses.length === 0 ? [] : [{ kind: 'pods' as const, addresses }]), ...blocks],
  }
}

const portNumbers = (pod: PolicyPod, name: string, protocol: string): number[] =>
  pod.ports
    .filter((port) => port.name === name && (port.protocol ?? 'TCP') === protocol)
    .map(({ containerPort }) => containerPort)

/** A named port can have a different number in each pod. */
const allowedByName = (
  name: string,
  protocol: string,
  context: RuleContext,
  peers: RulePeers,
): AllowedConnections[] => {
  if (context.direction === 'Ingress')
    return portNumbers(context.pod, name, protocol).flatMap((number) =>
      peers.allowed.map((allowed) => ({ peers: allowed, ports: { protocol, first: number, last: number } })),
    )
  return (peers.isAny ? context.candidates : peers.pods).flatMap((pod) =>
    portNumbers(pod, name, protocol).map((number) => ({
      peers: { kind: 'pods', addresses: [pod.ip] },
      ports: { protocol, first: number, last: number },
    })),
  )
}

const toPorts = (protocol: string, first?: number, last = first): AllowedPorts =>
  first === undefined ? { protocol } : { protocol, first, last: last! }

/** A connection is allowed if one of the results describes it. */
export const allowedByRule = (rule: PolicyRule, context: RuleContext): AllowedConnections[] => {
  const peers = peersOf(rule, context)
  if ((rule.ports ?? []).length === 0) return peers.allowed.map((allowed) => ({ peers: allowed }))
  return rule.ports!.flatMap(({ port, endPort, protocol = 'TCP' }) =>
    typeof port === 'string'
      ? allowedByName(port, protocol, context, peers)
      : peers.allowed.map((allowed) => ({ peers: allowed, ports: toPorts(protocol, port, endPort) })),
  )
}

const containsPeer = (peers: AllowedPeers, address: string): boolean => {
  if (peers.kind === 'any') return true
  if (peers.kind === 'pods') return peers.addresses.includes(address)
  const number = addressNumber(address)
  return peers.range.contains(number) && !peers.except.some((range) => range.contains(number))
}

const containsPort = (ports: AllowedPorts | undefined, protocol: string, port: number): boolean =>
  ports === undefined ||
  (ports.protocol === protocol && (ports.first === undefined || (port >= ports.first && port <= ports.last!)))

/** Whether the connection with this peer is allowed; `port` is that of the server. */
export const isConnectionAllowed = (
  allowed: readonly AllowedConnections[],
  peer: string,
  protocol: string,
  port: number,
): boolean =>
  allowed.some(({ peers, ports }) => containsPort(ports, protocol, port) && containsPeer(peers, peer))
