/** A pod stays unready for longer than a normal start takes. */
import { defineAlertRule } from '../alert-rule.ts'

const PENDING_MS = 10_000

export const podNotReady = defineAlertRule({
  name: 'PodNotReady',
  severity: 'page',
  *find({ pods, now, startedAt }) {
    for (const { name: pod, service, phase, ready, readySince, deleting, unscheduled } of pods) {
      const ended = phase === 'Succeeded' || phase === 'Failed'
      if (ready || deleting || ended || unscheduled !== undefined) continue
      if (now - Math.max(readySince, startedAt) < PENDING_MS) continue
      yield { labels: { service, pod }, summary: `Pod ${pod} is not Ready` }
    }
  },
})
