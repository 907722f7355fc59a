/** A pod finds no node. */
import { defineAlertRule } from '../alert-rule.ts'

const PATIENCE_MS = 5000

export const podPending = defineAlertRule({
  name: 'PodUnschedulable',
  severity: 'page',
  *find({ pods, now, began }) {
    for (const { name: pod, service, phase, deleting, readySince, unscheduled } of pods) {
      if (phase !== 'Pending' || deleting || unscheduled === undefined) continue
      if (now - Math.max(readySince, began) < PATIENCE_MS) continue
      yield { labels: { service, pod }, summary: `${pod} finds no node: ${unscheduled}` }
    }
  },
})
