/** Stress in one simulated container: workers that use its CPU and its memory, as StressChaos starts them. */
import type { Clock, Timer } from '#kit'
import type { StressFault } from '#platform/kube'
import type { ContainerMemory } from './container-memory.ts'

export type Stress = Pick<StressFault, 'cpu' | 'memory'>

export interface ContainerStress {
  /** Starts the workers. Returns a function that ends them. */
  start(stress: Stress): () => void
  /** The names of the running programs, as a list of processes shows them. */
  programs(): readonly string[]
  close(): void
}

interface ContainerStressOptions {
  readonly clock: Clock
  readonly memory: Pick<ContainerMemory, 'addProcesses'>
  /** Called with the number of threads that are always runnable; a thread that is busy half of the time counts as 0.5. */
  readonly setBusyThreads: (count: number) => void
}

/** The program that uses memory has several processes, each of which continuously rewrites its part. */
const PROCESSES_PER_MEMORY_WORKER = 16

interface Workers {
  readonly program: 'stress-ng' | 'memStress'
  threads: number
}

export const createContainerStress = (options: ContainerStressOptions): ContainerStress => {
  const { clock, memory, setBusyThreads } = options
  const running = new Set<Workers>()
  const growing = new Map<Workers, Timer>()

  const update = (): void => setBusyThreads([...running].reduce((sum, { threads }) => sum + threads, 0))
  const end = (workers: Workers): void => {
    growing.get(workers)?.cancel()
    growing.delete(workers)
    if (running.delete(workers)) update()
  }

  const startCpuWorkers = ({ workers, load }: NonNullable<Stress['cpu']>): (() => void) => {
    const started: Workers = { program: 'stress-ng', threads: (workers * load) / 100 }
    running.add(started)
    update()
    return () => end(started)
  }

  /** While the memory grows, the processes sleep most of the time. */
  const startMemoryWorkers = (stress: NonNullable<Stress['memory']>): (() => void) => {
    const { workers, bytes, growMs, oomScoreAdj } = stress
    const count = workers * PROCESSES_PER_MEMORY_WORKER
    const started: Workers = { program: 'memStress', threads: 0 }
    const work = (): void => {
      growing.delete(started)
      started.threads = count
      update()
    }
    running.add(started)
    if (growMs > 0) growing.set(started, clock.after(growMs, work))
    else work()
    const onKilled = (): void => end(started)
    const endProcesses = memory.addProcesses({ count, bytes: workers * bytes, growMs, oomScoreAdj, onKilled })
    return () => {
      endProcesses()
      end(started)
    }
  }

  return {
    start({ cpu, memory: memoryStress }) {
      const ends = [
        ...(cpu === undefined ? [] : [startCpuWorkers(cpu)]),
        ...(memoryStress === undefined ? [] : [startMemoryWorkers(memoryStress)]),
      ]
      return () => {
        for (const endWorkers of ends) endWorkers()
      }
    },
    programs: () => [...new Set([...running].map(({ program }) => program))],
    close() {
      for (const timer of growing.values()) timer.cancel()
      growing.clear()
      running.clear()
    },
  }
}
