/** Applies stress to simulated containers. The stress ends with its container; a restarted container has none. */
import { type Clock, defined } from '#kit'
import { type StressFault, targetContainer } from '#platform/kube/simulated'
import type { ApplySimFault } from './faulted-pod.ts'
import { parseStressors } from './parse-stressors.ts'

export const applyStressFault =
  (clock: Clock): ApplySimFault<StressFault> =>
  async ({ target, cpu, memory, arguments: customArguments }, pod) => {
    const { stress } = targetContainer(target, pod).resources
    if (customArguments === undefined) {
      const end = stress.start({
        ...defined({ cpu }),
        ...defined({ memory }),
      })
      return async () => end()
    }
    const { timeoutMs, ...workers } = parseStressors(customArguments)
    const end = stress.start(workers)
    const timer = timeoutMs === undefined ? undefined : clock.after(timeoutMs, end)
    return async () => {
      timer?.cancel()
      end()
    }
  }
