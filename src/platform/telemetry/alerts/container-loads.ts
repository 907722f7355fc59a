/** Tracks memory and CPU throttling of containers over the last half minute. */
import { defined } from '#kit'
import type { ContainerReading, PodReading } from '#spec'
import type { PodState } from '../collect/pod-index.ts'
import type { ContainerLoad } from './alert-rule.ts'

const WINDOW_MS = 30_000
const HIGH_MEMORY_SHARE = 0.9

export interface ContainerLoads {
  add(pod: PodState, reading: PodReading, now: number): void
  remove(podUid: string): void
  clear(): void
  all(): ContainerLoad[]
}

interface History {
  readonly pod: PodState
  readonly readings: { time: number; periods: number; throttled: number }[]
  memory: number
  memoryLimit: number | undefined
  memoryHighSince: number | undefined
}

const newHistory = (pod: PodState): History => ({
  pod,
  readings: [],
  memory: 0,
  memoryLimit: undefined,
  memoryHighSince: undefined,
})

const addReading = (history: History, reading: ContainerReading, now: number): void => {
  const { memoryWorkingSet: memory, memoryLimit } = reading
  const isHigh = memoryLimit !== undefined && memory > HIGH_MEMORY_SHARE * memoryLimit
  Object.assign(history, { memory, memoryLimit })
  history.memoryHighSince = isHigh ? (history.memoryHighSince ?? now) : undefined
  const { readings } = history
  readings.push({ time: now, periods: reading.cpuPeriods, throttled: reading.cpuThrottledPeriods })
  while (readings.length > 2 && now - readings[1]!.time > WINDOW_MS) readings.shift()
}

const toLoad = (container: string, history: History): ContainerLoad => {
  const [first, last] = [history.readings[0]!, history.readings.at(-1)!]
  const { pod, memory, memoryLimit, memoryHighSince } = history
  return {
    pod,
    container,
    memory,
    periods: last.periods - first.periods,
    throttledPeriods: last.throttled - first.throttled,
    ...defined({ memoryLimit, memoryHighSince }),
  }
}

export const createContainerLoads = (): ContainerLoads => {
  const byPod = new Map<string, Map<string, History>>()

  const historyOf = (histories: Map<string, History>, pod: PodState, name: string, periods: number) => {
    const known = histories.get(name)
    // The counter of a restarted container begins at zero.
    const isRestarted = known !== undefined && periods < (known.readings.at(-1)?.periods ?? 0)
    const history = known === undefined || isRestarted ? newHistory(pod) : known
    histories.set(name, history)
    return history
  }

  return {
    add(pod, { containers }, now) {
      const histories = byPod.get(pod.uid) ?? new Map<string, History>()
      byPod.set(pod.uid, histories)
      for (const name of histories.keys()) if (!Object.hasOwn(containers, name)) histories.delete(name)
      for (const [name, reading] of Object.entries(containers))
        addReading(historyOf(histories, pod, name, reading.cpuPeriods), reading, now)
    },
    remove: (podUid) => void byPod.delete(podUid),
    clear: () => byPod.clear(),
    all: () =>
      [...byPod.values()].flatMap((histories) =>
        [...histories].map(([name, history]) => toLoad(name, history)),
      ),
  }
}
