/** Keeps pods off nodes whose taints they do not tolerate. */
import { tolerates } from '../../kinds/index.ts'
import { type Filter, unresolvable } from '../filter.ts'

export const taints: Filter = {
  name: 'TaintToleration',
  wakesOn: ['node'],
  prepare: ({ pod }) => {
    return ({ node }) => {
      const taint = node.spec.taints?.find(
        (one) =>
          (one.effect === 'NoSchedule' || one.effect === 'NoExecute') &&
          !tolerates(pod.spec.tolerations, one),
      )
      return taint === undefined
        ? undefined
        : unresolvable(`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`)
    }
  },
}
