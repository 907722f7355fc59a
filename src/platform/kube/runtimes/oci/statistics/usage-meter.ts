/** Measures the current CPU and memory usage of containers for `kubectl top` and autoscalers. */
import { readFileSync } from 'node:fs'
import { type Clock, lazily, type Timer } from '#kit'
import { createCgroups } from '#machine/linux'
import type { Usage } from '#platform/kube/ports'
import type { ContainerInstance, ContainerRegister } from '../containers/container-instance.ts'

/** The sampling interval. */
const PERIOD_MS = 5000
/** The time over which CPU usage is averaged. */
const WINDOW_MS = 15_000
/** The shortest time by which CPU usage is divided, for a container that has just started. */
const MIN_WINDOW_MS = 100
/** The unit of a process's start time in /proc, counted since boot. */
const TICK_MS = 10

interface Sample {
  at: number
  cpuMs: number
}

/** The age of a process in milliseconds. */
const ageOf = (pid: number): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19])
    const uptimeMs = Number.parseFloat(readFileSync('/proc/uptime', 'utf8')) * 1000
    return Math.max(0, uptimeMs - ticks * TICK_MS)
  } catch {
    return 0
  }
}

export interface UsageMeter {
  /** The usage of the running containers, by name. */
  usageOf(podUid: string): Readonly<Record<string, Usage>>
  close(): void
}

const cgroups = lazily(() => createCgroups())

/** `read` returns the CPU time and the memory of a control group. */
export const createUsageMeter = (
  register: Pick<ContainerRegister, 'allRunning' | 'containersOf'>,
  clock: Clock,
  read: (cgroup: string) => { cpuMs: number; memory: number } = (cgroup) => cgroups().usage(cgroup),
): UsageMeter => {
  const samples = new Map<string, readonly Sample[]>()

  const samplesOf = ({ id, pid }: ContainerInstance): readonly Sample[] =>
    samples.get(id) ?? [{ at: clock.now() - (pid === undefined ? 0 : ageOf(pid)), cpuMs: 0 }]

  const takeSamples = (): void => {
    const running = register.allRunning()
    const known = new Set(running.map(({ id }) => id))
    for (const id of samples.keys()) if (!known.has(id)) samples.delete(id)
    for (const instance of running) {
      const now = { at: clock.now(), cpuMs: read(instance.cgroup).cpuMs }
      const past = samplesOf(instance)
      const recent = past.filter(({ at }) => now.at - at < WINDOW_MS)
      // Keeps at least one sample to compare with, even after a long delay.
      samples.set(instance.id, [...(recent.length > 0 ? recent : past.slice(-1)), now])
    }
    timer = clock.after(PERIOD_MS, takeSamples)
  }
  let timer: Timer = clock.after(PERIOD_MS, takeSamples)

  const measure = (instance: ContainerInstance): Usage => {
    const { cpuMs, memory } = read(instance.cgroup)
    const [first] = samplesOf(instance)
    const windowMs = Math.max(MIN_WINDOW_MS, Math.round(clock.now() - first!.at))
    return { cpu: Math.max(0, cpuMs - first!.cpuMs) / windowMs, memory, windowMs }
  }

  return {
    usageOf: (podUid) =>
      Object.fromEntries(
        register
          .containersOf(podUid)
          .filter(({ pid }) => pid !== undefined)
          .map((instance) => [instance.container.name, measure(instance)]),
      ),
    close: () => timer.cancel(),
  }
}
