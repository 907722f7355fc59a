/** A pod has not been Ready for longer than a start takes. */
import { defineAlertRule } from '../alert-rule.ts'

const PATIENCE_MS = 10_000

export const podNotReady = defineAlertRule({
  name: 'PodNotReady',
  severity: 'page',
  *find({ pods, now, began }) {
    for (const { name: pod, service, phase, ready, readySince, deleting, unscheduled } of pods) {
      const ended = phase === 'Succeeded' || phase === 'Failed'
      if (ready || deleting || ended || unscheduled !== undefined) continue
      if (now - Math.max(readySince, began) < PATIENCE_MS) continue
      yield { labels: { service, pod }, summary: `${pod} is not Ready` }
    }
  },
})
