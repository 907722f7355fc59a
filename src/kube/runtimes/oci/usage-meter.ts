/** What containers use of CPU and memory now, for `kubectl top` and autoscalers. */
import { readFileSync } from 'node:fs'
import { type Clock, lazily, type Timer } from '../../../kit/index.ts'
import { createCgroups } from '../../../linux/index.ts'
import type { Usage } from '../../ports/index.ts'
import type { ContainerInstance, ContainerRegister } from './container-instance.ts'

/** How often it is looked, so that a question is always about the time just past. */
const PERIOD_MS = 5000
/** Over how long CPU is averaged, where the container runs so long. */
const WINDOW_MS = 15_000
/** Less says nothing about the use of a CPU. */
const LEAST_WINDOW_MS = 100
/** The kernel tells the start of a process in ticks of 10 ms since it was booted. */
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
  /** By the name of the container; nothing of those that do not run. */
  usageOf(podUid: string): Readonly<Record<string, Usage>>
  close(): void
}

const cgroups = lazily(() => createCgroups())

/** `read` tells the CPU time and the memory of a control group. */
export const createUsageMeter = (
  register: Pick<ContainerRegister, 'allRunning' | 'ofPod'>,
  clock: Clock,
  read: (cgroup: string) => { cpuMs: number; memory: number } = (cgroup) => cgroups().usage(cgroup),
): UsageMeter => {
  const samples = new Map<string, readonly Sample[]>()

  const samplesOf = ({ id, pid }: ContainerInstance): readonly Sample[] =>
    samples.get(id) ?? [{ at: clock.now() - (pid === undefined ? 0 : ageOf(pid)), cpuMs: 0 }]

  const look = (): void => {
    const running = register.allRunning()
    const known = new Set(running.map(({ id }) => id))
    for (const id of samples.keys()) if (!known.has(id)) samples.delete(id)
    for (const instance of running) {
      const now = { at: clock.now(), cpuMs: read(instance.cgroup).cpuMs }
      const past = samplesOf(instance)
      const recent = past.filter(({ at }) => now.at - at < WINDOW_MS)
      // One is always kept to compare with, however late this look comes.
      samples.set(instance.id, [...(recent.length > 0 ? recent : past.slice(-1)), now])
    }
    timer = clock.after(PERIOD_MS, look)
  }
  let timer: Timer = clock.after(PERIOD_MS, look)

  const measure = (instance: ContainerInstance): Usage => {
    const { cpuMs, memory } = read(instance.cgroup)
    const [first] = samplesOf(instance)
    const windowMs = Math.max(LEAST_WINDOW_MS, Math.round(clock.now() - first!.at))
    return { cpu: Math.max(0, cpuMs - first!.cpuMs) / windowMs, memory, windowMs }
  }

  return {
    usageOf: (podUid) =>
      Object.fromEntries(
        register
          .ofPod(podUid)
          .filter(({ pid }) => pid !== undefined)
          .map((instance) => [instance.container.name, measure(instance)]),
      ),
    close: () => timer.cancel(),
  }
}
