/** Keeps pods off cordoned nodes. */
import { tolerates } from '../../kinds/index.ts'
import { type Filter, unresolvable } from '../filter.ts'

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
