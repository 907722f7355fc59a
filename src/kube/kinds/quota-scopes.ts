/** The scopes of a ResourceQuota: which pods it is about. */
import type { Pod, ResourceQuotaSpec, ScopedResourceSelectorRequirement } from 'kubernetes-types/core/v1.d.ts'
import type { KubeObject, Stored } from '../meta/index.ts'
import type { Kind } from './define-kind.ts'
import { pods } from './pod.ts'
import { qosClassOf } from './pod-resources.ts'

const looksAcrossNamespaces = ({ spec }: Stored<Pod>): boolean => {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {}
  return [podAffinity, podAntiAffinity].some((affinity) =>
    [
      ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((one) => one.podAffinityTerm),
    ].some(
      ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined,
    ),
  )
}

const meetsPriority = (
  pod: Stored<Pod>,
  { operator, values }: ScopedResourceSelectorRequirement,
): boolean => {
  const name = pod.spec.priorityClassName ?? ''
  if (operator === 'Exists') return name !== ''
  if (operator === 'DoesNotExist') return name === ''
  return (values ?? []).includes(name) === (operator === 'In')
}

const meets = (pod: Stored<Pod>, requirement: ScopedResourceSelectorRequirement): boolean => {
  const ends = pod.spec.activeDeadlineSeconds !== undefined
  switch (requirement.scopeName) {
    case 'Terminating':
      return ends
    case 'NotTerminating':
      return !ends
    case 'BestEffort':
      return qosClassOf(pod) === 'BestEffort'
    case 'NotBestEffort':
      return qosClassOf(pod) !== 'BestEffort'
    case 'CrossNamespacePodAffinity':
      return looksAcrossNamespaces(pod)
    case 'PriorityClass':
      return meetsPriority(pod, requirement)
    default:
      return false
  }
}

/** Whether the object is one of those that the quota is about; only pods have scopes. */
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
  return kind.id === pods.id && requirements.every((requirement) => meets(object as Stored<Pod>, requirement))
}
