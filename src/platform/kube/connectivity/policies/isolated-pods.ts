/** Finds the pods that NetworkPolicies isolate, and the connections that each of them is still allowed. */
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.d.ts'
import { type Stored, toLabelMatcher } from '#platform/kube/meta'
import { type AllowedConnections, allowedByRule, type Direction } from './allowed-connections.ts'
import type { PolicyPod } from './policy-pod.ts'

export interface PolicyInput {
  readonly policies: readonly Stored<NetworkPolicy>[]
  /** The pods that policies can select. */
  readonly pods: readonly PolicyPod[]
  /** The pods that peers can select. */
  readonly candidates: readonly PolicyPod[]
}

const allowedByPolicy = (
  policy: Stored<NetworkPolicy>,
  direction: Direction,
  pod: PolicyPod,
  candidates: readonly PolicyPod[],
): AllowedConnections[] => {
  const context = { direction, namespace: policy.metadata.namespace!, pod, candidates }
  const { ingress = [], egress = [] } = policy.spec
  const rules =
    direction === 'Ingress'
      ? ingress.map(({ ports = [], from = [] }) => ({ ports, peers: from }))
      : egress.map(({ ports = [], to = [] }) => ({ ports, peers: to }))
  return rules.flatMap((rule) => allowedByRule(rule, context))
}

/** Returns the allowed connections of each isolated pod, keyed by the pod's address. All others are denied. */
export const isolatedPods = (
  direction: Direction,
  { policies, pods, candidates }: PolicyInput,
): ReadonlyMap<string, readonly AllowedConnections[]> => {
  const isolated = new Map<string, readonly AllowedConnections[]>()
  const relevant = policies
    .filter(({ spec }) => spec.policyTypes?.includes(direction))
    .map((policy) => ({ policy, matches: toLabelMatcher(policy.spec.podSelector) }))
  for (const pod of pods) {
    const selecting = relevant.filter(
      ({ policy, matches }) => policy.metadata.namespace === pod.namespace && matches(pod.labels),
    )
    if (selecting.length === 0) continue
    isolated.set(
      pod.ip,
      selecting.flatMap(({ policy }) => allowedByPolicy(policy, direction, pod, candidates)),
    )
  }
  return isolated
}
