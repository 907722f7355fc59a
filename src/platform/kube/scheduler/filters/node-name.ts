/** Filters nodes by `spec.nodeName`. */
import { type Filter, unresolvable } from '../filter.ts'

export const nodeName: Filter = {
  name: 'NodeName',
  retriesOn: ['node'],
  prepare({ pod }) {
    const required = pod.spec.nodeName
    if (required === undefined || required === '') return undefined
    return ({ name }) =>
      name === required ? undefined : unresolvable("node(s) didn't match the requested node name")
  },
}
