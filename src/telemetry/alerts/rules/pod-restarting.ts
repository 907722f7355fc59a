/** Containers of a pod restart more than once. */
import { defineAlertRule } from '../alert-rule.ts'

const MEMORY_MS = 120_000
const MOST = 1

export const podRestarting = defineAlertRule({
  name: 'PodRestarting',
  severity: 'ticket',
  *find({ pods, restartsWithin }) {
    for (const { name: pod, service, uid } of pods) {
      const restarts = restartsWithin(uid, MEMORY_MS)
      if (restarts <= MOST) continue
      yield { labels: { service, pod }, summary: `Containers of ${pod} restarted ${restarts} times in 2 min` }
    }
  },
})
