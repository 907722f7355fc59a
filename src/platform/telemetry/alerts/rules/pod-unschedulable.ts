/** A pod cannot be scheduled. */
import { defineAlertRule } from '../alert-rule.ts'

const PENDING_MS = 5000

export const podUnschedulable = defineAlertRule({
  name: 'PodUnschedulable',
  severity: 'page',
  *find({ pods, now, startedAt }) {
    for (const { name: pod, service, phase, deleting, readySince, unscheduled } of pods) {
      if (phase !== 'Pending' || deleting || unscheduled === undefined) continue
      if (now - Math.max(readySince, startedAt) < PENDING_MS) continue
      yield { labels: { service, pod }, summary: `Pod ${pod} cannot be scheduled: ${unscheduled}` }
    }
  },
})
