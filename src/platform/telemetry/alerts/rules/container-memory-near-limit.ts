/** A container is close to its memory limit. */
import { defineAlertRule } from '../alert-rule.ts'

const PENDING_MS = 5000

export const containerMemoryNearLimit = defineAlertRule({
  name: 'ContainerMemoryNearLimit',
  severity: 'ticket',
  *find({ containers, now }) {
    for (const { pod, container, memory, memoryLimit = 0, memoryHighSince } of containers) {
      if (memoryHighSince === undefined || now - memoryHighSince < PENDING_MS) continue
      const share = Math.round((100 * memory) / memoryLimit)
      yield {
        labels: { service: pod.service, pod: pod.name, container },
        summary: `Container ${container} of pod ${pod.name} uses ${share} % of its memory limit`,
      }
    }
  },
})
