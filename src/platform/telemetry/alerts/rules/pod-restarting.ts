/** Containers of a pod restarted more than once within two minutes. */
import { defineAlertRule } from '../alert-rule.ts'

const WINDOW_MS = 120_000
const MAX_RESTARTS = 1

export const podRestarting = defineAlertRule({
  name: 'PodRestarting',
  severity: 'ticket',
  *find({ pods, restartsWithin }) {
    for (const { name: pod, service, uid } of pods) {
      const restarts = restartsWithin(uid, WINDOW_MS)
      if (restarts <= MAX_RESTARTS) continue
      yield {
        labels: { service, pod },
        summary: `Containers of pod ${pod} restarted ${restarts} times in the last 2 min`,
      }
    }
  },
})
