/** The resources of one simulated container: for its program, for faults, and for telemetry. */
import type { Clock, Random } from '#kit'
import type { ContainerReading, ProgramResources } from '#spec'
import { createContainerCpu } from './container-cpu.ts'
import { type ContainerFiles, createContainerFiles } from './container-files.ts'
import { createContainerMemory } from './container-memory.ts'
import { createContainerRandom } from './container-random.ts'
import { type ContainerStress, createContainerStress } from './container-stress.ts'
import { type ContainerTime, createContainerTime } from './container-time.ts'
import type { Mount } from './mount-table.ts'
import type { NodeLoad } from './node-load.ts'

export interface ContainerResourcesOptions {
  readonly clock: Clock
  readonly random: Random
  /** The load of the node; without it, a thread always has a core. */
  readonly node?: NodeLoad | undefined
  /** In cores; 0 and undefined mean that there is no limit. By default, the request equals the limit. */
  readonly cpuLimit?: number | undefined
  readonly cpuRequest?: number | undefined
  /** In bytes; 0 and undefined mean that there is no limit. */
  readonly memoryLimitBytes?: number | undefined
  /** The memory of the program without its allocations. */
  readonly programBytes: number
  /** The OOM score adjustment of the program; 0 by default. */
  readonly oomScoreAdj?: number | undefined
  /** Whether only one process is killed above the memory limit, instead of the whole container; false by default. */
  readonly singleProcessOomKill?: boolean | undefined
  /** One of them is the root of the container, `/`. */
  readonly mounts: readonly Mount[]
  /** Called once if the kernel kills the program, after `close`. The container exits with code 137 and reason OOMKilled. */
  readonly onOutOfMemory: () => void
}

export interface ContainerResources extends ProgramResources {
  readonly time: ContainerTime
  readonly files: ContainerFiles
  readonly stress: ContainerStress
  read(): ContainerReading
  /** Ends the use of all resources: no promise settles and no timer fires afterwards. */
  close(): void
}

const SHARES_PER_CORE = 1024
const MIN_SHARES = 2

export const createContainerResources = (options: ContainerResourcesOptions): ContainerResources => {
  const { clock, random, node, cpuLimit, cpuRequest, mounts, onOutOfMemory } = options
  const { programBytes, oomScoreAdj, singleProcessOomKill, memoryLimitBytes: limitBytes } = options
  const time = createContainerTime(clock)
  const cpu = createContainerCpu({ clock, limit: cpuLimit })
  const files = createContainerFiles({ clock, random: random.fork('files'), mounts })
  const shares = Math.max(MIN_SHARES, (cpuRequest ?? cpuLimit ?? 0) * SHARES_PER_CORE)
  const member = node?.join({ shares, limit: cpuLimit, setSpeed: cpu.setSpeed })
  const endByKernel = (): void => {
    close()
    onOutOfMemory()
  }
  const memory = createContainerMemory({
    clock,
    limitBytes,
    programBytes,
    oomScoreAdj,
    singleProcessOomKill,
    onOutOfMemory: endByKernel,
  })
  const setBusyThreads = (count: number): void => {
    cpu.setBusyThreads(count)
    member?.setBusyThreads(count)
  }
  const stress = createContainerStress({ clock, memory, setBusyThreads })
  const close = (): void => {
    for (const part of [stress, memory, cpu, files, time]) part.close()
    member?.leave()
  }

  return {
    time,
    cpu,
    memory,
    files,
    random: createContainerRandom(random.fork('program')),
    stress,
    read: () => ({
      ...cpu.read(),
      memoryWorkingSet: memory.usedBytes(),
      ...(memory.limitBytes > 0 ? { memoryLimit: memory.limitBytes } : {}),
      // The kernel serves reads from its page cache, which contains the written files.
      readBytes: 0,
      writtenBytes: files.writtenBytes(),
    }),
    close,
  }
}
