/** Prefers the nodes that the pod's preferred node affinity chooses. */
import { matchesNodeTerm } from '../../kinds/index.ts'
import { normalised, type Scorer } from '../scorer.ts'

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
    return normalised(raw)
  },
}
