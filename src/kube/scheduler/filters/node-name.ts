/** Holds a pod that names its node to that node. */
import { type Filter, unresolvable } from '../filter.ts'

export const nodeName: Filter = {
  name: 'NodeName',
  wakesOn: ['node'],
  prepare({ pod }) {
    const wanted = pod.spec.nodeName
    if (wanted === undefined || wanted === '') return undefined
    return ({ name }) =>
      name === wanted ? undefined : unresolvable("node(s) didn't match the requested node name")
  },
}
