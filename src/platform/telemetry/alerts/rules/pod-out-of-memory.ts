/** Within the last minute, the kernel killed a container that ran out of memory. */
import { defineAlertRule } from '../alert-rule.ts'

const WINDOW_MS = 60_000

export const podOutOfMemory = defineAlertRule({
  name: 'PodOutOfMemory',
  severity: 'page',
  *find({ pods, now, startedAt }) {
    for (const { name: pod, service, containers } of pods) {
      for (const { name: container, endedReason, endedAt = 0 } of containers) {
        // Timestamps of the API have a resolution of one second.
        if (endedReason !== 'OOMKilled' || endedAt + 1000 < startedAt || now - endedAt > WINDOW_MS) continue
        yield {
          labels: { service, pod, container },
          summary: `Container ${container} of pod ${pod} ran out of memory and was killed (OOMKilled)`,
        }
      }
    }
  },
})
