/** Filters nodes by `nodeSelector` and required node affinity. */
import { selectsNode } from '#platform/kube/kinds'
import { type Filter, unresolvable } from '../filter.ts'

export const nodeAffinity: Filter = {
  name: 'NodeAffinity',
  retriesOn: ['node'],
  prepare({ pod }) {
    const { nodeSelector, affinity } = pod.spec
    if (
      nodeSelector === undefined &&
      affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution === undefined
    )
      return undefined
    return ({ node }) =>
      selectsNode(pod.spec, node)
        ? undefined
        : unresolvable("node(s) didn't match Pod's node affinity/selector")
  },
}
