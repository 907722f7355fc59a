/** Filters out nodes with untolerated taints. */
import { tolerates } from '#platform/kube/kinds'
import { type Filter, unresolvable } from '../filter.ts'

export const taints: Filter = {
  name: 'TaintToleration',
  retriesOn: ['node'],
  prepare: ({ pod }) => {
    return ({ node }) => {
      const taint = node.spec.taints?.find(
        (candidate) =>
          (candidate.effect === 'NoSchedule' || candidate.effect === 'NoExecute') &&
          !tolerates(pod.spec.tolerations, candidate),
      )
      return taint === undefined
        ? undefined
        : unresolvable(`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`)
    }
  },
}
