/** Which nodes a pod, a volume or a term of node affinity chooses by labels and names. */
import type { Node, NodeSelector, NodeSelectorTerm, Pod } from 'kubernetes-types/core/v1.d.ts'
import { hasLabels, meetsRequirement, type Stored } from '../meta/index.ts'

type Requirement = Parameters<typeof meetsRequirement>[1]

const requirement = (one: { key: string; operator: string; values?: string[] }): Requirement => ({
  key: one.key,
  operator: one.operator as Requirement['operator'],
  values: one.values ?? [],
})

/** A term without expressions chooses nothing. */
export const matchesTerm = (term: NodeSelectorTerm, node: Stored<Node>): boolean => {
  const { matchExpressions = [], matchFields = [] } = term
  if (matchExpressions.length + matchFields.length === 0) return false
  const fields = { 'metadata.name': node.metadata.name }
  return (
    matchExpressions.every((one) => meetsRequirement(node.metadata.labels, requirement(one))) &&
    matchFields.every((one) => meetsRequirement(fields, requirement(one)))
  )
}

export const matchesSelector = (selector: NodeSelector | undefined, node: Stored<Node>): boolean =>
  selector === undefined || selector.nodeSelectorTerms.some((term) => matchesTerm(term, node))

/** The pod's `nodeSelector` and required node affinity. */
export const matchesPodChoice = ({ spec }: Stored<Pod>, node: Stored<Node>): boolean =>
  hasLabels(node.metadata.labels, spec.nodeSelector ?? {}) &&
  matchesSelector(spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution, node)
