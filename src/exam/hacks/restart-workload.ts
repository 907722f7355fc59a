/** Restarts a workload with an annotation on its pod template. */
import { workloadRef } from '#exam/fault-parts'
import type { RepairContext } from '#spec'

export const restartWorkload = async (
  { api, system, now }: RepairContext,
  service: string,
): Promise<void> => {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date(now()).toISOString() }
  await api.patch(workloadRef(system, service), 'strategic', {
    spec: { template: { metadata: { annotations } } },
  })
}
