/** Taints new nodes as not ready. */
import type { Node } from 'kubernetes-types/core/v1.d.ts'
import { nodes } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { AdmissionPlugin } from '#platform/kube/ports'

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }

export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  admit({ kind, operation, object }) {
    if (kind.id !== nodes.id || operation !== 'CREATE') return
    const { spec } = object as Stored<Node>
    const taints = spec.taints ?? []
    if (!taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect))
      spec.taints = [...taints, { ...NOT_READY }]
  },
}
