/** Measures the current CPU and memory usage of containers for `kubectl top` and autoscalers. */
import type { Clock, Timer } from '#kit'
import type { Usage } from '#platform/kube/ports'
import type { ContainerRun } from './run-register.ts'

/** The sampling interval. */
const PERIOD_MS = 5000
/** The time over which CPU usage is averaged. */
const WINDOW_MS = 15_000
/** The shortest time by which CPU usage is divided, for a container that has just started. */
const MIN_WINDOW_MS = 100

interface Sample {
  at: number
  cpuMs: number
}

export interface UsageMeterOptions<T extends ContainerRun> {
  readonly clock: Clock
  allRunning(): readonly T[]
  runningIn(podUid: string): readonly T[]
  /** By the clock. */
  startedAt(run: T): number
  /** The CPU time since the start, and the memory. */
  read(run: T): { readonly cpuMs: number; readonly memory: number }
}

export interface UsageMeter {
  /** The usage of the running containers, by name. */
  usageOf(podUid: string): Readonly<Record<string, Usage>>
  close(): void
}

export const createUsageMeter = <T extends ContainerRun>(options: UsageMeterOptions<T>): UsageMeter => {
  const { clock, allRunning, runningIn, startedAt, read } = options
  const samples = new Map<string, readonly Sample[]>()

  const samplesOf = (run: T): readonly Sample[] => samples.get(run.id) ?? [{ at: startedAt(run), cpuMs: 0 }]

  const takeSamples = (): void => {
    const running = allRunning()
    const known = new Set(running.map(({ id }) => id))
    for (const id of samples.keys()) if (!known.has(id)) samples.delete(id)
    for (const run of running) {
      const now = { at: clock.now(), cpuMs: read(run).cpuMs }
      const past = samplesOf(run)
      const recent = past.filter(({ at }) => now.at - at < WINDOW_MS)
      // Keeps at least one sample to compare with, even after a long delay.
      samples.set(run.id, [...(recent.length > 0 ? recent : past.slice(-1)), now])
    }
    timer = clock.after(PERIOD_MS, takeSamples)
  }
  let timer: Timer = clock.after(PERIOD_MS, takeSamples)

  const measure = (run: T): Usage => {
    const { cpuMs, memory } = read(run)
    const [first] = samplesOf(run)
    const windowMs = Math.max(MIN_WINDOW_MS, Math.round(clock.now() - first!.at))
    return { cpu: Math.max(0, cpuMs - first!.cpuMs) / windowMs, memory, windowMs }
  }

  return {
    usageOf: (podUid) =>
      Object.fromEntries(runningIn(podUid).map((run) => [run.container.name, measure(run)])),
    close: () => timer.cancel(),
  }
}
