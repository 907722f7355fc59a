/** Converts NetworkPolicies to rules: a chain for each set of allowed connections, selected by the pod's address. */
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.d.ts'
import { type Stored, toLabelMatcher } from '#platform/kube/meta'
import { DNS_ADDRESS, SERVICE_RANGE } from '../addresses.ts'
import type { NetworkNode } from '../cluster-network.ts'
import type { Chain, Ruleset } from '../rules/ruleset.ts'
import { CLIENT, type Direction, ruleMatches, SERVER } from './policy-matches.ts'
import type { PolicyPod } from './policy-pod.ts'

export interface PolicyInput {
  policies: readonly Stored<NetworkPolicy>[]
  /** The pods that policies can select. */
  pods: readonly PolicyPod[]
  /** The pods that peers can select. */
  candidates: readonly PolicyPod[]
  nodes: readonly NetworkNode[]
}

const allowedBy = (
  policy: Stored<NetworkPolicy>,
  direction: Direction,
  pod: PolicyPod,
  candidates: readonly PolicyPod[],
): string[] => {
  const context = { direction, namespace: policy.metadata.namespace!, pod, candidates }
  const { ingress = [], egress = [] } = policy.spec
  const rules =
    direction === 'Ingress'
      ? ingress.map(({ ports = [], from = [] }) => ({ ports, peers: from }))
      : egress.map(({ ports = [], to = [] }) => ({ ports, peers: to }))
  return rules.flatMap((rule) => ruleMatches(rule, context))
}

/** Returns the chain of each isolated pod, keyed by the pod's address. */
const isolationChains = (
  direction: Direction,
  { policies, pods, candidates }: PolicyInput,
): Map<string, Chain> => {
  const isolated = new Map<string, Chain>()
  const relevant = policies
    .filter(({ spec }) => spec.policyTypes?.includes(direction))
    .map((policy) => ({ policy, matches: toLabelMatcher(policy.spec.podSelector) }))
  for (const pod of pods) {
    const selecting = relevant.filter(
      ({ policy, matches }) => policy.metadata.namespace === pod.namespace && matches(pod.labels),
    )
    if (selecting.length === 0) continue
    const allowed = selecting.flatMap(({ policy }) => allowedBy(policy, direction, pod, candidates))
    isolated.set(pod.ip, { rules: [...new Set(allowed.map((match) => `${match} return`.trim())), 'drop'] })
  }
  return isolated
}

const policiesChain = (nodes: readonly NetworkNode[]): Chain => {
  const pairs = nodes.flatMap(({ hostIP, podCIDR }) => [`${hostIP} . ${podCIDR}`, `${podCIDR} . ${hostIP}`])
  return {
    rules: [
      // Service addresses that were not translated only refuse connections.
      `${SERVER} ${SERVICE_RANGE} ${SERVER} != ${DNS_ADDRESS} return`,
      // Policies never block a pod from its node or from itself.
      `${CLIENT} . ${SERVER} { ${pairs.join(', ')} } return`,
      `${CLIENT} . ${SERVER} @itself return`,
      `${CLIENT} vmap @egress-isolated`,
      `${SERVER} vmap @ingress-isolated`,
    ],
  }
}

/** `idOf` must return the same short name for the same content. */
export const policyRules = (input: PolicyInput, idOf: (content: string) => string): Ruleset => {
  const chains = new Map<string, Chain>([['policies', policiesChain(input.nodes)]])
  const verdictsOf = (direction: Direction): Map<string, string> => {
    const verdicts = new Map<string, string>()
    for (const [ip, chain] of isolationChains(direction, input)) {
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
