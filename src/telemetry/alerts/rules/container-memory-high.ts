/** A container is about to be killed for want of memory. */
import { defineAlertRule } from '../alert-rule.ts'

const PATIENCE_MS = 5000

export const containerMemoryHigh = defineAlertRule({
  name: 'ContainerMemoryNearLimit',
  severity: 'ticket',
  *find({ containers, now }) {
    for (const { pod, container, memory, memoryLimit = 0, memoryHighSince } of containers) {
      if (memoryHighSince === undefined || now - memoryHighSince < PATIENCE_MS) continue
      const share = Math.round((100 * memory) / memoryLimit)
      yield {
        labels: { service: pod.service, pod: pod.name, container },
        summary: `${container} of ${pod.name} uses ${share} % of the memory that it may use`,
      }
    }
  },
})
