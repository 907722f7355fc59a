/** Converts NetworkPolicies to rules: a chain for each set of allowed connections, selected by the pod's address. */
import {
  type Direction,
  DNS_ADDRESS,
  isolatedPods,
  type NetworkNode,
  type PolicyInput,
  SERVICE_RANGE,
} from '#platform/kube/connectivity'
import type { Chain, Ruleset } from '../rules/ruleset.ts'
import { CLIENT, policyMatch, SERVER } from './policy-matches.ts'

export interface PolicyRulesInput extends PolicyInput {
  readonly nodes: readonly NetworkNode[]
}

/** Returns the chain of each isolated pod, keyed by the pod's address. */
const isolationChains = (direction: Direction, input: PolicyInput): Map<string, Chain> => {
  const chains = new Map<string, Chain>()
  for (const [ip, allowed] of isolatedPods(direction, input)) {
    const rules = new Set(allowed.map((each) => `${policyMatch(direction, each)} return`.trim()))
    chains.set(ip, { rules: [...rules, 'drop'] })
  }
  return chains
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
export const policyRules = (input: PolicyRulesInput, idOf: (content: string) => string): Ruleset => {
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
