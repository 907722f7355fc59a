/**
 * Converts one rule of a NetworkPolicy to conditions of the packet filter. They match the client, the
 * server and the port of the tracked connection, not of the packet. Therefore both directions are treated alike, and
 * a new policy immediately cuts the connections that it forbids.
 */
import type { IPBlock, NetworkPolicyPeer, NetworkPolicyPort } from 'kubernetes-types/networking/v1.d.ts'
import { toLabelMatcher } from '#platform/kube/meta'
import type { PolicyPod } from './policy-pod.ts'

export type Direction = 'Ingress' | 'Egress'

export const CLIENT = 'ct original ip saddr'
/** The endpoint, after the translation of Service addresses. */
export const SERVER = 'ct reply ip saddr'
const SERVER_PORT = 'ct reply proto-src'

export interface RuleContext {
  direction: Direction
  /** The namespace of the policy. */
  namespace: string
  /** The pod that the policy selects. */
  pod: PolicyPod
  /** All pods that peers can select. */
  candidates: readonly PolicyPod[]
}

interface Rule {
  ports?: readonly NetworkPolicyPort[]
  peers?: readonly NetworkPolicyPeer[]
}

const addressMatch = (field: string, pods: readonly PolicyPod[]): string[] =>
  pods.length === 0 ? [] : [`${field} { ${[...new Set(pods.map(({ ip }) => ip))].sort().join(', ')} }`]

/** The API accepts `10.0.0.0/08`; the packet filter does not. */
const normaliseRange = (cidr: string): { range: string; isAll: boolean } => {
  const [address, bits] = cidr.split('/')
  return { range: `${address}/${Number(bits)}`, isAll: Number(bits) === 0 }
}

const blockMatch = (field: string, { cidr, except = [] }: IPBlock): string[] => {
  if (cidr.includes(':')) return []
  const { range, isAll } = normaliseRange(cidr)
  const exceptions = except.map((block) => `${field} != ${normaliseRange(block).range}`)
  return [[...(isAll ? [] : [`${field} ${range}`]), ...exceptions].join(' ')]
}

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

/** The selected pods, and conditions for IP blocks. */
const peersOf = (rule: Rule, context: RuleContext): { pods: PolicyPod[]; blocks: string[] } => {
  const field = context.direction === 'Ingress' ? CLIENT : SERVER
  const peers = rule.peers ?? []
  return {
    pods: peers.flatMap((peer) => (peer.ipBlock === undefined ? selectedBy(peer, context) : [])),
    blocks: peers.flatMap(({ ipBlock }) => (ipBlock === undefined ? [] : blockMatch(field, ipBlock))),
  }
}

const portMatch = (protocol: string, first?: number, last = first): string =>
  [
    `meta l4proto ${protocol.toLowerCase()}`,
    ...(first === undefined ? [] : [`${SERVER_PORT} ${first === last ? first : `${first}-${last}`}`]),
  ].join(' ')

const portNumbers = (pod: PolicyPod, name: string, protocol: string): number[] =>
  pod.ports
    .filter((port) => port.name === name && (port.protocol ?? 'TCP') === protocol)
    .map(({ containerPort }) => containerPort)

/** A named port can have a different number in each pod. */
const namedMatches = (
  name: string,
  protocol: string,
  context: RuleContext,
  peers: { isAny: boolean; pods: readonly PolicyPod[]; matches: readonly string[] },
): string[] => {
  if (context.direction === 'Ingress')
    return portNumbers(context.pod, name, protocol).flatMap((number) =>
      peers.matches.map((match) => `${match} ${portMatch(protocol, number)}`.trim()),
    )
  return (peers.isAny ? context.candidates : peers.pods).flatMap((pod) =>
    portNumbers(pod, name, protocol).map((number) => `${SERVER} ${pod.ip} ${portMatch(protocol, number)}`),
  )
}

/** A connection is allowed if one of the conditions matches. */
export const ruleMatches = (rule: Rule, context: RuleContext): string[] => {
  const isAny = (rule.peers ?? []).length === 0
  const { pods, blocks } = peersOf(rule, context)
  const field = context.direction === 'Ingress' ? CLIENT : SERVER
  const matches = isAny ? [''] : [...addressMatch(field, pods), ...blocks]
  if ((rule.ports ?? []).length === 0) return matches
  return rule.ports!.flatMap(({ port, endPort, protocol = 'TCP' }) =>
    typeof port === 'string'
      ? namedMatches(port, protocol, context, { isAny, pods, matches })
      : matches.map((match) => `${match} ${portMatch(protocol, port, endPort)}`.trim()),
  )
}
