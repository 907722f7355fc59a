/** Holds pods to the nodes they choose by label: `nodeSelector` and required node affinity. */
import { type Filter, unresolvable } from '../filter.ts'
import { matchesPodChoice } from '../node-selection.ts'

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
      matchesPodChoice(pod, node)
        ? undefined
        : unresolvable("node(s) didn't match Pod's node affinity/selector")
  },
}
