/** Which nodes a pod, a volume or a term of node affinity chooses by labels and names. */
import type { Node, NodeSelector, NodeSelectorTerm, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { hasLabels, meetsRequirement, type Stored } from '../meta/index.ts'

type Requirement = Parameters<typeof meetsRequirement>[1]

const requirement = (one: { key: string; operator: string; values?: string[] }): Requirement => ({
  key: one.key,
  operator: one.operator as Requirement['operator'],
  values: one.values ?? [],
})

/** A term without expressions chooses nothing. */
export const matchesNodeTerm = (term: NodeSelectorTerm, node: Stored<Node>): boolean => {
  const { matchExpressions = [], matchFields = [] } = term
  if (matchExpressions.length + matchFields.length === 0) return false
  const fields = { 'metadata.name': node.metadata.name }
  return (
    matchExpressions.every((one) => meetsRequirement(node.metadata.labels, requirement(one))) &&
    matchFields.every((one) => meetsRequirement(fields, requirement(one)))
  )
}

export const matchesNodeSelector = (selector: NodeSelector | undefined, node: Stored<Node>): boolean =>
  selector === undefined || selector.nodeSelectorTerms.some((term) => matchesNodeTerm(term, node))

/** Whether the node is one that `nodeSelector` and the required node affinity of a pod allow. */
export const choosesNode = (spec: PodSpec, node: Stored<Node>): boolean =>
  hasLabels(node.metadata.labels, spec.nodeSelector ?? {}) &&
  matchesNodeSelector(spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution, node)
