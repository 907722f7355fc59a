/** Matches objects against the scopes of a ResourceQuota. */
import type { Pod, ResourceQuotaSpec, ScopedResourceSelectorRequirement } from 'kubernetes-types/core/v1.d.ts'
import type { KubeObject, Stored } from '#platform/kube/meta'
import type { Kind } from '../define-kind.ts'
import { pods } from '../pods/pod.ts'
import { qosClassOf } from '../pods/pod-resources.ts'

const hasCrossNamespaceAffinity = ({ spec }: Stored<Pod>): boolean => {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {}
  return [podAffinity, podAntiAffinity].some((affinity) =>
    [
      ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
        (preferred) => preferred.podAffinityTerm,
      ),
    ].some(
      ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined,
    ),
  )
}

const matchesPriorityClass = (
  pod: Stored<Pod>,
  { operator, values }: ScopedResourceSelectorRequirement,
): boolean => {
  const name = pod.spec.priorityClassName ?? ''
  if (operator === 'Exists') return name !== ''
  if (operator === 'DoesNotExist') return name === ''
  return (values ?? []).includes(name) === (operator === 'In')
}

const matchesScope = (pod: Stored<Pod>, requirement: ScopedResourceSelectorRequirement): boolean => {
  const hasDeadline = pod.spec.activeDeadlineSeconds !== undefined
  switch (requirement.scopeName) {
    case 'Terminating':
      return hasDeadline
    case 'NotTerminating':
      return !hasDeadline
    case 'BestEffort':
      return qosClassOf(pod) === 'BestEffort'
    case 'NotBestEffort':
      return qosClassOf(pod) !== 'BestEffort'
    case 'CrossNamespacePodAffinity':
      return hasCrossNamespaceAffinity(pod)
    case 'PriorityClass':
      return matchesPriorityClass(pod, requirement)
    default:
      return false
  }
}

/** Whether a quota with these scopes applies to the object. Only pods match scopes. */
export const matchesQuotaScopes = (
  { scopes = [], scopeSelector }: ResourceQuotaSpec,
  kind: Pick<Kind, 'id'>,
  object: KubeObject,
): boolean => {
  const requirements = [
    ...scopes.map((scopeName) => ({ scopeName, operator: 'Exists' as const })),
    ...(scopeSelector?.matchExpressions ?? []),
  ]
  if (requirements.length === 0) return true
  return (
    kind.id === pods.id &&
    requirements.every((requirement) => matchesScope(object as Stored<Pod>, requirement))
  )
}
