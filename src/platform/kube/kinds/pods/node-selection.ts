/** Matches nodes against node selectors and node affinity. */
import type { Node, NodeSelector, NodeSelectorTerm, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { hasLabels, matchesRequirement, type Stored } from '#platform/kube/meta'

type Requirement = Parameters<typeof matchesRequirement>[1]

const toRequirement = (expression: { key: string; operator: string; values?: string[] }): Requirement => ({
  key: expression.key,
  operator: expression.operator as Requirement['operator'],
  values: expression.values ?? [],
})

/** Whether the node matches the term. A term without expressions matches nothing. */
export const matchesNodeTerm = (term: NodeSelectorTerm, node: Stored<Node>): boolean => {
  const { matchExpressions = [], matchFields = [] } = term
  if (matchExpressions.length + matchFields.length === 0) return false
  const fields = { 'metadata.name': node.metadata.name }
  return (
    matchExpressions.every((expression) =>
      matchesRequirement(node.metadata.labels, toRequirement(expression)),
    ) && matchFields.every((field) => matchesRequirement(fields, toRequirement(field)))
  )
}

export const matchesNodeSelector = (selector: NodeSelector | undefined, node: Stored<Node>): boolean =>
  selector === undefined || selector.nodeSelectorTerms.some((term) => matchesNodeTerm(term, node))

/** Whether `nodeSelector` and the required node affinity of a pod match the node. */
export const selectsNode = (spec: PodSpec, node: Stored<Node>): boolean =>
  hasLabels(node.metadata.labels, spec.nodeSelector ?? {}) &&
  matchesNodeSelector(spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution, node)
