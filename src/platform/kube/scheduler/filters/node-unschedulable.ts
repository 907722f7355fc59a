/** Filters out cordoned nodes. */
import { tolerates } from '#platform/kube/kinds'
import { type Filter, unresolvable } from '../filter.ts'

const TAINT = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

export const nodeUnschedulable: Filter = {
  name: 'NodeUnschedulable',
  retriesOn: ['node'],
  prepare({ pod }) {
    if (tolerates(pod.spec.tolerations, TAINT)) return undefined
    return ({ node }) =>
      node.spec.unschedulable === true ? unresolvable('node(s) were unschedulable') : undefined
  },
}
