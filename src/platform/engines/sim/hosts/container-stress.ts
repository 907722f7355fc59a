/** Stress in one simulated container: workers that use its CPU and its memory, as StressChaos starts them. */
import type { Clock, Timer } from '#kit'
import type { StressFault } from '#platform/kube'
import type { ContainerMemory } from './container-memory.ts'

export interface Stress extends Pick<StressFault, 'cpu' | 'memory'> {
  /** Workers of stress-ng that rewrite their memory without a pause; `bytes` is the memory of all of them together. */
  virtualMemory?: { workers: number; bytes: number }
}

export interface StressProcess {
  readonly name: string
  readonly startedAt: number
}

export interface ContainerStress {
  /** Starts the workers. Returns a function that ends them. */
  start(stress: Stress): () => void
  /** The running processes, as a list of processes shows them. */
  processes(): readonly StressProcess[]
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
/** A worker of stress-ng that uses memory starts a second process, which can be killed without it. */
const PROCESSES_PER_VIRTUAL_MEMORY_WORKER = 2
/** stress-ng offers its workers to the kernel as the first ones to be killed. */
const STRESS_NG_OOM_SCORE = 1000

/** A program that starts workers. */
interface Program {
  readonly name: 'stress-ng' | 'memStress'
  readonly startedAt: number
  /** Busy threads of its workers. */
  threads: number
  /** The program itself and its workers. */
  processes: number
}

/** The running programs of one container. */
const createPrograms = ({ clock, setBusyThreads }: ContainerStressOptions) => {
  const running = new Set<Program>()
  const update = (): void => setBusyThreads([...running].reduce((sum, { threads }) => sum + threads, 0))
  return {
    running,
    begin(name: Program['name'], workers: Pick<Program, 'threads' | 'processes'>): Program {
      const program: Program = { name, startedAt: clock.now(), ...workers }
      running.add(program)
      update()
      return program
    },
    change(program: Program, workers: Partial<Pick<Program, 'threads' | 'processes'>>): void {
      Object.assign(program, workers)
      update()
    },
    end(program: Program): void {
      if (running.delete(program)) update()
    },
  }
}

export const createContainerStress = (options: ContainerStressOptions): ContainerStress => {
  const { clock, memory } = options
  const programs = createPrograms(options)
  const { running, begin } = programs
  const growing = new Map<Program, Timer>()

  const end = (program: Program): void => {
    growing.get(program)?.cancel()
    growing.delete(program)
    programs.end(program)
  }

  const startStressNg = ({ cpu, virtualMemory: vm }: Stress): (() => void) => {
    const cpuWorkers = {
      threads: cpu === undefined ? 0 : (cpu.workers * cpu.load) / 100,
      processes: 1 + (cpu?.workers ?? 0),
    }
    const program = begin('stress-ng', {
      threads: cpuWorkers.threads + (vm?.workers ?? 0),
      processes: cpuWorkers.processes + (vm?.workers ?? 0) * PROCESSES_PER_VIRTUAL_MEMORY_WORKER,
    })
    if (vm === undefined) return () => end(program)
    const endProcesses = memory.addProcesses({
      count: vm.workers,
      bytes: vm.bytes,
      growMs: 0,
      oomScoreAdj: STRESS_NG_OOM_SCORE,
      onKilled() {
        if (cpu === undefined) end(program)
        else programs.change(program, cpuWorkers)
      },
    })
    return () => {
      endProcesses()
      end(program)
    }
  }

  /** While the memory grows, the processes sleep most of the time. */
  const startMemoryWorkers = (stress: NonNullable<Stress['memory']>): (() => void) => {
    const { workers, bytes, growMs, oomScoreAdj } = stress
    const count = workers * PROCESSES_PER_MEMORY_WORKER
    const program = begin('memStress', { threads: growMs > 0 ? 0 : count, processes: 1 + count })
    const work = (): void => {
      growing.delete(program)
      programs.change(program, { threads: count })
    }
    if (growMs > 0) growing.set(program, clock.after(growMs, work))
    const onKilled = (): void => end(program)
    const endProcesses = memory.addProcesses({ count, bytes: workers * bytes, growMs, oomScoreAdj, onKilled })
    return () => {
      endProcesses()
      end(program)
    }
  }

  return {
    start(stress) {
      const ends = [
        ...(stress.cpu === undefined && stress.virtualMemory === undefined ? [] : [startStressNg(stress)]),
        ...(stress.memory === undefined ? [] : [startMemoryWorkers(stress.memory)]),
      ]
      return () => {
        for (const endWorkers of ends) endWorkers()
      }
    },
    processes: () =>
      [...running].flatMap(({ name, startedAt, processes }) =>
        Array.from({ length: processes }, () => ({ name, startedAt })),
      ),
    close() {
      for (const timer of growing.values()) timer.cancel()
      growing.clear()
      running.clear()
    },
  }
}
