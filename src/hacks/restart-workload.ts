/** Restarts one workload by an annotation of its template. */
import { workloadRef } from '../fault-parts/index.ts'
import { preciseNow } from '../kit/index.ts'
import type { HackContext } from '../spec/index.ts'

export const restartWorkload = async ({ api, system }: HackContext, service: string): Promise<void> => {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date(preciseNow()).toISOString() }
  await api.patch(workloadRef(system, service), 'strategic', {
    spec: { template: { metadata: { annotations } } },
  })
}
