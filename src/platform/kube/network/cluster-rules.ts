/** The packet filter rules of a cluster: nodes, Services and policies, recomputed when they change. */
import type { NetworkNamespace } from '#machine/linux'
import { balancedPorts, peerPods, policyPods } from '#platform/kube/connectivity'
import { networkPolicies } from '#platform/kube/kinds'
import type { Client } from '#platform/kube/ports'
import type { ClusterNetworkOptions } from './cluster-network.ts'
import type { PodAttachments } from './pods/pod-attachments.ts'
import { policyRules } from './policies/policy-rules.ts'
import { baseRules } from './rules/base-rules.ts'
import { createRuleReconciler, type RuleReconciler } from './rules/rule-reconciler.ts'
import type { Ruleset } from './rules/ruleset.ts'
import { createShortNames } from './rules/short-names.ts'
import { createDatagramServers } from './services/datagram-servers.ts'
import { serviceRules } from './services/service-rules.ts'

export interface ClusterRulesOptions extends ClusterNetworkOptions {
  namespace: NetworkNamespace
  attachments: PodAttachments
  /** Undefined until the network follows an API. */
  client(): Client | undefined
  isReachable(node: string): boolean
}

export type ClusterRules = RuleReconciler<'nodes' | 'services' | 'policies'>

export const createClusterRules = (options: ClusterRulesOptions): ClusterRules => {
  const { namespace, nodes, attachments, client, isReachable } = options
  const [serviceNames, policyNames] = [createShortNames(), createShortNames()]
  const datagramServers = createDatagramServers(namespace)

  const toServiceRules = (): Ruleset => {
    const api = client()
    const ports = api === undefined ? [] : balancedPorts(api)
    datagramServers.update(ports)
    return serviceNames.use((idOf) => serviceRules(ports, attachments.list(), nodes, idOf))
  }

  const toPolicyRules = (): Ruleset => {
    const api = client()
    const policies = api?.list(networkPolicies) ?? []
    const pods = api === undefined || policies.length === 0 ? [] : policyPods(api, attachments.list())
    const candidates = api === undefined ? [] : peerPods(api, pods)
    return policyNames.use((idOf) => policyRules({ policies, pods, candidates, nodes }, idOf))
  }

  return createRuleReconciler({
    ...options,
    parts: { nodes: () => baseRules(nodes, isReachable), services: toServiceRules, policies: toPolicyRules },
    onApplied: datagramServers.flushRemoved,
  })
}
