/** A workload has fewer available pods than replicas, for example because none can be created. */
import { defineAlertRule } from '../alert-rule.ts'

const PENDING_MS = 10_000

export const workloadReplicasMissing = defineAlertRule({
  name: 'WorkloadReplicasMissing',
  severity: 'page',
  *find({ workloads, now, startedAt }) {
    for (const { title, service, desired, available, missingSince } of workloads) {
      if (missingSince === undefined || now - Math.max(missingSince, startedAt) < PENDING_MS) continue
      yield {
        labels: { service, workload: title },
        summary: `${available} of ${desired} pods of ${title} are available`,
      }
    }
  },
})
