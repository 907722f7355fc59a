/** Injects stress faults: programs that use the CPU and the memory of a container within its limits. */
import { targetContainer } from '#platform/kube/pod-faults'
import type { StressFault } from '#platform/kube/ports'
import type { ApplyFault } from '../apply-fault.ts'
import { boundMemory } from './bound-memory.ts'
import { memoryProgram } from './memory-program.ts'
import { type Stressor, type StressorHost, startStressor } from './start-stressor.ts'

/**
 * Runs without a timeout and without restarting killed workers. `--keep-name` is needed because renaming a worker
 * overwrites its environment, by which it is found if the engine has died.
 */
const stressNg = (args: readonly string[]): Stressor => ({
  command: ['stress-ng', '--timeout', '0', '--oomable', '--keep-name', '--temp-path', '/tmp', ...args],
  isReady: (names) => names.filter((name) => name === 'stress-ng').length > 1,
})

const toStressors = (
  { cpu, memory, arguments: customArguments }: StressFault,
  memoryLimit: number,
): Stressor[] => {
  if (customArguments !== undefined) return [stressNg(customArguments)]
  return [
    ...(cpu === undefined ? [] : [stressNg(['--cpu', `${cpu.workers}`, '--cpu-load', `${cpu.load}`])]),
    ...(memory === undefined
      ? []
      : [
          {
            command: [
              'perl',
              '-',
              ...[memory.workers, boundMemory(memory, memoryLimit), memory.growMs].map(String),
            ],
            input: memoryProgram,
            isReady: (names: readonly string[]) => names.includes('memStress'),
            oomScoreAdj: memory.oomScoreAdj,
          },
        ]),
  ]
}

export const createStressFaults =
  (host: StressorHost): ApplyFault<StressFault> =>
  async (fault, view) => {
    const container = targetContainer(fault.target, view)
    const stops: (() => Promise<void>)[] = []
    const recover = async (): Promise<void> => {
      await Promise.all(stops.map((stop) => stop()))
    }
    try {
      const limit = host.cgroups.memoryLimit(container.cgroup)
      for (const stressor of toStressors(fault, limit))
        stops.push(await startStressor(container, stressor, host))
    } catch (error) {
      await recover()
      throw error
    }
    return recover
  }
