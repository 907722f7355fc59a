/**
 * What one rule of a NetworkPolicy lets pass, as conditions of the packet filter. They look at the connection and
 * not at the packet: who began it, whom it reached and where. So both directions are judged alike, and a
 * connection that a new policy forbids ends at once.
 */
import type { IPBlock, NetworkPolicyPeer, NetworkPolicyPort } from 'kubernetes-types/networking/v1.d.ts'
import { matcherOf } from '../../meta/index.ts'
import type { PolicyPod } from './policy-pod.ts'

export type Direction = 'Ingress' | 'Egress'

export const CLIENT = 'ct original ip saddr'
/** After Services: the endpoint that answers. */
export const SERVER = 'ct reply ip saddr'
const SERVER_PORT = 'ct reply proto-src'

export interface RuleContext {
  direction: Direction
  /** The namespace of the policy. */
  namespace: string
  /** The pod that the policy is about. */
  pod: PolicyPod
  /** Everybody in the cluster. */
  everybody: readonly PolicyPod[]
}

interface Rule {
  ports?: readonly NetworkPolicyPort[]
  peers?: readonly NetworkPolicyPeer[]
}

const addressesAre = (field: string, pods: readonly PolicyPod[]): string[] =>
  pods.length === 0 ? [] : [`${field} { ${[...new Set(pods.map(({ ip }) => ip))].sort().join(', ')} }`]

/** `10.0.0.0/08` is a range for the API, but none for the packet filter. */
const plainRange = (cidr: string): { range: string; isAll: boolean } => {
  const [address, bits] = cidr.split('/')
  return { range: `${address}/${Number(bits)}`, isAll: Number(bits) === 0 }
}

const blockMatch = (field: string, { cidr, except = [] }: IPBlock): string[] => {
  if (cidr.includes(':')) return []
  const { range, isAll } = plainRange(cidr)
  const holes = except.map((hole) => `${field} != ${plainRange(hole).range}`)
  return [[...(isAll ? [] : [`${field} ${range}`]), ...holes].join(' ')]
}

const selectedBy = (peer: NetworkPolicyPeer, { namespace, everybody }: RuleContext): PolicyPod[] => {
  const { podSelector = {}, namespaceSelector } = peer
  const matchesPod = matcherOf(podSelector)
  const matchesNamespace = matcherOf(namespaceSelector)
  return everybody.filter(
    (pod) =>
      matchesPod(pod.labels) &&
      (namespaceSelector === undefined ? pod.namespace === namespace : matchesNamespace(pod.namespaceLabels)),
  )
}

/** Pods, and conditions for whoever else. */
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

const numbersNamed = (pod: PolicyPod, name: string, protocol: string): number[] =>
  pod.ports
    .filter((port) => port.name === name && (port.protocol ?? 'TCP') === protocol)
    .map(({ containerPort }) => containerPort)

/** A port by name is a number that each server may choose for itself. */
const namedMatches = (
  name: string,
  protocol: string,
  context: RuleContext,
  peers: { any: boolean; pods: readonly PolicyPod[]; matches: readonly string[] },
): string[] => {
  if (context.direction === 'Ingress')
    return numbersNamed(context.pod, name, protocol).flatMap((number) =>
      peers.matches.map((match) => `${match} ${portMatch(protocol, number)}`.trim()),
    )
  return (peers.any ? context.everybody : peers.pods).flatMap((pod) =>
    numbersNamed(pod, name, protocol).map((number) => `${SERVER} ${pod.ip} ${portMatch(protocol, number)}`),
  )
}

/** One condition for each way in which a connection may meet the rule. */
export const ruleMatches = (rule: Rule, context: RuleContext): string[] => {
  const any = (rule.peers ?? []).length === 0
  const { pods, blocks } = peersOf(rule, context)
  const field = context.direction === 'Ingress' ? CLIENT : SERVER
  const matches = any ? [''] : [...addressesAre(field, pods), ...blocks]
  if ((rule.ports ?? []).length === 0) return matches
  return rule.ports!.flatMap(({ port, endPort, protocol = 'TCP' }) =>
    typeof port === 'string'
      ? namedMatches(port, protocol, context, { any, pods, matches })
      : matches.map((match) => `${match} ${portMatch(protocol, port, endPort)}`.trim()),
  )
}
