/** Avoids nodes that would rather not have the pod: taints with the effect PreferNoSchedule. */
import { tolerates } from '../../kinds/index.ts'
import { normalised, type Scorer } from '../scorer.ts'

export const preferredTaints: Scorer = {
  weight: 3,
  score({ pod }, nodes) {
    const raw = nodes.map(
      ({ node }) =>
        (node.spec.taints ?? []).filter(
          (taint) => taint.effect === 'PreferNoSchedule' && !tolerates(pod.spec.tolerations, taint),
        ).length,
    )
    return raw.every((count) => count === 0) ? undefined : normalised(raw, true)
  },
}
