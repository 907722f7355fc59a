/** Prefers nodes that match the pod's preferred node affinity. */
import { matchesNodeTerm } from '#platform/kube/kinds'
import { normalise, type Scorer } from '../scorer.ts'

export const preferredNodes: Scorer = {
  weight: 2,
  score({ pod }, nodes) {
    const terms = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution
    if (terms === undefined || terms.length === 0) return undefined
    const raw = nodes.map(({ node }) =>
      terms.reduce(
        (sum, { weight, preference }) => sum + (matchesNodeTerm(preference, node) ? weight : 0),
        0,
      ),
    )
    return normalise(raw)
  },
}
