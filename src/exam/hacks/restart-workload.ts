/** Restarts a workload with an annotation on its pod template. */
import { workloadRef } from '#exam/fault-parts'
import type { HackContext } from '#spec'

export const restartWorkload = async ({ api, system, now }: HackContext, service: string): Promise<void> => {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date(now()).toISOString() }
  await api.patch(workloadRef(system, service), 'strategic', {
    spec: { template: { metadata: { annotations } } },
  })
}
