/** Holds pods to the nodes they choose by label: `nodeSelector` and required node affinity. */
import { choosesNode } from '../../kinds/index.ts'
import { type Filter, unresolvable } from '../filter.ts'

export const nodeAffinity: Filter = {
  name: 'NodeAffinity',
  wakesOn: ['node'],
  prepare({ pod }) {
    const { nodeSelector, affinity } = pod.spec
    if (
      nodeSelector === undefined &&
      affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution === undefined
    )
      return undefined
    return ({ node }) =>
      choosesNode(pod.spec, node)
        ? undefined
        : unresolvable("node(s) didn't match Pod's node affinity/selector")
  },
}
