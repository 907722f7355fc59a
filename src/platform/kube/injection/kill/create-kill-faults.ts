/** Injects kill faults: kills the first process of a container, which the kubelet restarts. */
import { targetContainer } from '#platform/kube/pod-faults'
import type { KillFault } from '#platform/kube/ports'
import type { ApplyFault } from '../apply-fault.ts'

export const createKillFaults = (): ApplyFault<KillFault> => async (fault, view) => {
  process.kill(targetContainer(fault.target, view).pid, 'SIGKILL')
  return async () => {
    // A kill cannot be undone.
  }
}
