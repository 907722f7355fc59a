/** Applies faults on the clocks of simulated containers. They end with the container. */
import { clockNumbersOf, type TimeFault, targetContainer } from '#platform/kube/simulated'
import type { ApplySimFault } from './faulted-pod.ts'

export const applyTimeFault: ApplySimFault<TimeFault> = async (fault, pod) => {
  // Rejects unknown clocks.
  clockNumbersOf(fault)
  const remove = targetContainer(fault.target, pod).resources.time.addFault(fault)
  return async () => remove()
}
