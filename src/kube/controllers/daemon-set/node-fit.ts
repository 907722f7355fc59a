/** Which nodes a DaemonSet runs on. */
import type { DaemonSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Node, NodeSelectorTerm, Taint, Toleration } from 'kubernetes-types/core/v1.d.ts'
import { hasLabels, meetsRequirement, type Stored } from '../../meta/index.ts'
import { daemonTolerations } from './daemon-pod.ts'

export interface NodeFit {
  /** A pod belongs on the node. */
  shouldRun: boolean
  /** A pod that is there already may stay. */
  mayStay: boolean
}

const meetsTerm = (
  node: Stored<Node>,
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
): boolean =>
  matchExpressions.length + matchFields.length > 0 &&
  matchExpressions.every(({ key, operator, values }) =>
    meetsRequirement(node.metadata.labels, { key, operator: operator as never, values: values ?? [] }),
  ) &&
  matchFields.every(({ key, operator, values }) =>
    meetsRequirement(
      { 'metadata.name': node.metadata.name },
      { key, operator: operator as never, values: values ?? [] },
    ),
  )

const tolerates = (toleration: Toleration, taint: Taint): boolean =>
  (!toleration.effect || toleration.effect === taint.effect) &&
  (!toleration.key || toleration.key === taint.key) &&
  (toleration.operator === 'Exists' || (toleration.value ?? '') === (taint.value ?? ''))

export const fitNode = (set: Stored<DaemonSet>, node: Stored<Node>): NodeFit => {
  const spec = set.spec.template.spec ?? { containers: [] }
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  const chosen =
    (!spec.nodeName || spec.nodeName === node.metadata.name) &&
    hasLabels(node.metadata.labels, spec.nodeSelector ?? {}) &&
    (terms === undefined || terms.some((term) => meetsTerm(node, term)))
  if (!chosen) return { shouldRun: false, mayStay: false }

  const tolerations = daemonTolerations(spec)
  const unbearable = (node.spec.taints ?? []).filter(
    (taint) => !tolerations.some((one) => tolerates(one, taint)),
  )
  const mayStay = unbearable.every(({ effect }) => effect !== 'NoExecute')
  return { shouldRun: mayStay && unbearable.every(({ effect }) => effect !== 'NoSchedule'), mayStay }
}
