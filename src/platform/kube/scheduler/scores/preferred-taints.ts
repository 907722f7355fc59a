/** Avoids nodes with untolerated taints of the effect PreferNoSchedule. */
import { tolerates } from '#platform/kube/kinds'
import { normalise, type Scorer } from '../scorer.ts'

export const preferredTaints: Scorer = {
  weight: 3,
  score({ pod }, nodes) {
    const raw = nodes.map(
      ({ node }) =>
        (node.spec.taints ?? []).filter(
          (taint) => taint.effect === 'PreferNoSchedule' && !tolerates(pod.spec.tolerations, taint),
        ).length,
    )
    return raw.every((count) => count === 0) ? undefined : normalise(raw, true)
  },
}
