/** Hack: restarts all workloads. */
import type { Hack } from '#spec'
import { restartWorkload } from './restart-workload.ts'

export const restartEverything: Hack = {
  name: 'restart-everything',
  about: 'Restarts every workload, as `kubectl rollout restart` does',
  async act(context) {
    for (const { service } of context.system.workloads) await restartWorkload(context, service)
  },
}
