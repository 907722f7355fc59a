/** The kernel killed a container for want of memory, less than a minute ago. */
import { defineAlertRule } from '../alert-rule.ts'

const MEMORY_MS = 60_000

export const podOutOfMemory = defineAlertRule({
  name: 'PodOutOfMemory',
  severity: 'page',
  *find({ pods, now, began }) {
    for (const { name: pod, service, containers } of pods) {
      for (const { name: container, endedReason, endedAt = 0 } of containers) {
        // Times of the API have no fractions.
        if (endedReason !== 'OOMKilled' || endedAt + 1000 < began || now - endedAt > MEMORY_MS) continue
        yield {
          labels: { service, pod, container },
          summary: `${container} of ${pod} was killed for want of memory`,
        }
      }
    }
  },
})
