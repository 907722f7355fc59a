/** A workload has fewer pods than it should, also where none could even be made. */
import { defineAlertRule } from '../alert-rule.ts'

const PATIENCE_MS = 10_000

export const workloadReplicasMissing = defineAlertRule({
  name: 'WorkloadReplicasMissing',
  severity: 'page',
  *find({ workloads, now, began }) {
    for (const { title, service, wanted, available, missingSince } of workloads) {
      if (missingSince === undefined || now - Math.max(missingSince, began) < PATIENCE_MS) continue
      yield {
        labels: { service, workload: title },
        summary: `${available} of ${wanted} pods of ${title} are available`,
      }
    }
  },
})
