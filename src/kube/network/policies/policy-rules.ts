/** NetworkPolicies as rules: a chain for pods under the same policies, found by the pod's address. */
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.d.ts'
import { matcherOf, type Stored } from '../../meta/index.ts'
import { DNS_ADDRESS, SERVICE_RANGE } from '../addresses.ts'
import type { NetworkNode } from '../cluster-network.ts'
import type { Chain, Ruleset } from '../rules/ruleset.ts'
import { CLIENT, type Direction, ruleMatches, SERVER } from './policy-matches.ts'
import type { PolicyPod } from './policy-pod.ts'

export interface PolicySituation {
  policies: readonly Stored<NetworkPolicy>[]
  /** Those that policies can be about. */
  pods: readonly PolicyPod[]
  /** Those and everybody else whom a peer may mean. */
  everybody: readonly PolicyPod[]
  nodes: readonly NetworkNode[]
}

const allowedBy = (
  policy: Stored<NetworkPolicy>,
  direction: Direction,
  pod: PolicyPod,
  everybody: readonly PolicyPod[],
): string[] => {
  const context = { direction, namespace: policy.metadata.namespace!, pod, everybody }
  const { ingress = [], egress = [] } = policy.spec
  const rules =
    direction === 'Ingress'
      ? ingress.map(({ ports = [], from = [] }) => ({ ports, peers: from }))
      : egress.map(({ ports = [], to = [] }) => ({ ports, peers: to }))
  return rules.flatMap((rule) => ruleMatches(rule, context))
}

/** The chain of each isolated pod, by its address. */
const isolate = (
  direction: Direction,
  { policies, pods, everybody }: PolicySituation,
): Map<string, Chain> => {
  const isolated = new Map<string, Chain>()
  const relevant = policies
    .filter(({ spec }) => spec.policyTypes?.includes(direction))
    .map((policy) => ({ policy, matches: matcherOf(policy.spec.podSelector) }))
  for (const pod of pods) {
    const over = relevant.filter(
      ({ policy, matches }) => policy.metadata.namespace === pod.namespace && matches(pod.labels),
    )
    if (over.length === 0) continue
    const allowed = over.flatMap(({ policy }) => allowedBy(policy, direction, pod, everybody))
    isolated.set(pod.ip, { rules: [...new Set(allowed.map((match) => `${match} return`.trim())), 'drop'] })
  }
  return isolated
}

const policiesChain = (nodes: readonly NetworkNode[]): Chain => {
  const pairs = nodes.flatMap(({ hostIP, podCIDR }) => [`${hostIP} . ${podCIDR}`, `${podCIDR} . ${hostIP}`])
  return {
    rules: [
      // Only refusals come from there.
      `${SERVER} ${SERVICE_RANGE} ${SERVER} != ${DNS_ADDRESS} return`,
      // A pod and its node, or a pod and itself, can never be parted.
      `${CLIENT} . ${SERVER} { ${pairs.join(', ')} } return`,
      `${CLIENT} . ${SERVER} @itself return`,
      `${CLIENT} vmap @egress-isolated`,
      `${SERVER} vmap @ingress-isolated`,
    ],
  }
}

/** `idOf` gives the same short name for the same chain every time. */
export const policyRules = (situation: PolicySituation, idOf: (content: string) => string): Ruleset => {
  const chains = new Map<string, Chain>([['policies', policiesChain(situation.nodes)]])
  const verdictsOf = (direction: Direction): Map<string, string> => {
    const verdicts = new Map<string, string>()
    for (const [ip, chain] of isolate(direction, situation)) {
      const name = `policy-${idOf(chain.rules.join('\n'))}`
      chains.set(name, chain)
      verdicts.set(ip, `jump ${name}`)
    }
    return verdicts
  }
  const definition = 'type ipv4_addr : verdict'
  return {
    chains,
    sets: new Map(),
    maps: new Map([
      ['egress-isolated', { definition, elements: verdictsOf('Egress') }],
      ['ingress-isolated', { definition, elements: verdictsOf('Ingress') }],
    ]),
  }
}
