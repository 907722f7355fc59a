/** Kill faults: the end of a container's first process, and with it of the container, which the kubelet restarts. */
import type { KillFault } from '../../ports/index.ts'
import type { ApplyFault } from '../apply-fault.ts'
import { targetContainer } from '../target-container.ts'

export const createKillFaults = (): ApplyFault<KillFault> => async (fault, view) => {
  process.kill(targetContainer(fault.target, view).pid, 'SIGKILL')
  return async () => {
    // What is killed does not come back by itself.
  }
}
