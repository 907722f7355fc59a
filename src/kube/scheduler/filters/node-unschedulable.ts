/** Keeps pods off cordoned nodes. */
import { type Filter, unresolvable } from '../filter.ts'
import { tolerates } from '../toleration.ts'

const TAINT = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

export const nodeUnschedulable: Filter = {
  name: 'NodeUnschedulable',
  wakesOn: ['node'],
  prepare({ pod }) {
    if (tolerates(pod.spec.tolerations, TAINT)) return undefined
    return ({ node }) =>
      node.spec.unschedulable === true ? unresolvable('node(s) were unschedulable') : undefined
  },
}
