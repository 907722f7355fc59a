/** The rules of a cluster's network: nodes, Services and policies, each asked again when it has changed. */
import type { NetworkNamespace } from '../../linux/index.ts'
import { networkPolicies } from '../kinds/index.ts'
import type { Client } from '../ports/index.ts'
import type { ClusterNetworkOptions } from './cluster-network.ts'
import type { PodAttachments } from './pods/pod-attachments.ts'
import { peerPods, policyPods } from './policies/policy-pod.ts'
import { policyRules } from './policies/policy-rules.ts'
import { baseRules } from './rules/base-rules.ts'
import { createRuleKeeper, type RuleKeeper } from './rules/rule-keeper.ts'
import type { Ruleset } from './rules/ruleset.ts'
import { createShortNames } from './rules/short-names.ts'
import { createDatagramServers } from './services/datagram-servers.ts'
import { balancedPorts } from './services/service-port.ts'
import { serviceRules } from './services/service-rules.ts'

export interface ClusterRulesOptions extends ClusterNetworkOptions {
  namespace: NetworkNamespace
  attachments: PodAttachments
  /** Nothing as long as no API is followed. */
  client(): Client | undefined
  isReachable(node: string): boolean
}

export type ClusterRules = RuleKeeper<'nodes' | 'services' | 'policies'>

export const createClusterRules = (options: ClusterRulesOptions): ClusterRules => {
  const { namespace, nodes, attachments, client, isReachable } = options
  const [serviceNames, policyNames] = [createShortNames(), createShortNames()]
  const datagramServers = createDatagramServers(namespace)

  const ofServices = (): Ruleset => {
    const api = client()
    const ports = api === undefined ? [] : balancedPorts(api)
    datagramServers.see(ports)
    return serviceNames.round((idOf) => serviceRules(ports, attachments.list(), nodes, idOf))
  }

  const ofPolicies = (): Ruleset => {
    const api = client()
    const policies = api?.list(networkPolicies) ?? []
    const pods = api === undefined || policies.length === 0 ? [] : policyPods(api, attachments.list())
    const everybody = api === undefined ? [] : peerPods(api, pods)
    return policyNames.round((idOf) => policyRules({ policies, pods, everybody, nodes }, idOf))
  }

  return createRuleKeeper({
    ...options,
    parts: { nodes: () => baseRules(nodes, isReachable), services: ofServices, policies: ofPolicies },
    onApplied: datagramServers.forgetGone,
  })
}
