/** Restarts a workload with an annotation on its pod template. */
import { workloadRef } from '#exam/fault-parts'
import { preciseNow } from '#kit'
import type { HackContext } from '#spec'

export const restartWorkload = async ({ api, system }: HackContext, service: string): Promise<void> => {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date(preciseNow()).toISOString() }
  await api.patch(workloadRef(system, service), 'strategic', {
    spec: { template: { metadata: { annotations } } },
  })
}
