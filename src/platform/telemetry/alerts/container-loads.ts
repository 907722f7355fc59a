/** Finds containers that are short of memory or CPU over the last half minute. */
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
  /** The containers that use more than 90 % of their memory limit, or were throttled. */
  short(): ContainerLoad[]
  snapshot(): ContainerLoadsState
}

interface Reading {
  readonly time: number
  readonly periods: number
  readonly throttled: number
}

interface History {
  readonly pod: PodState
  readonly readings: Reading[]
  memory: number
  memoryLimit: number | undefined
  memoryHighSince: number | undefined
}

/** By uid of the pod and name of the container. */
export type ContainerLoadsState = ReadonlyMap<string, ReadonlyMap<string, Readonly<History>>>

const newHistory = (pod: PodState): History => ({
  pod,
  readings: [],
  memory: 0,
  memoryLimit: undefined,
  memoryHighSince: undefined,
})

const copyOf = (state: ContainerLoadsState): Map<string, Map<string, History>> => {
  const copy = new Map<string, Map<string, History>>()
  for (const [uid, histories] of state) {
    const copies = new Map<string, History>()
    for (const [name, history] of histories)
      copies.set(name, { ...history, readings: history.readings.slice() })
    copy.set(uid, copies)
  }
  return copy
}

const addReading = (history: History, reading: ContainerReading, now: number): void => {
  const { memoryWorkingSet: memory, memoryLimit } = reading
  const isHigh = memoryLimit !== undefined && memory > HIGH_MEMORY_SHARE * memoryLimit
  history.memory = memory
  history.memoryLimit = memoryLimit
  history.memoryHighSince = isHigh ? (history.memoryHighSince ?? now) : undefined
  const { readings } = history
  readings.push({ time: now, periods: reading.cpuPeriods, throttled: reading.cpuThrottledPeriods })
  while (readings.length > 2 && now - readings[1]!.time > WINDOW_MS) readings.shift()
}

const isShort = ({ memoryHighSince, readings }: History): boolean =>
  memoryHighSince !== undefined || readings.at(-1)!.throttled > readings[0]!.throttled

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

/** Continues from a snapshot if one is given. */
export const createContainerLoads = (from: ContainerLoadsState = new Map()): ContainerLoads => {
  const byPod = copyOf(from)

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
      for (const name of Object.keys(containers)) {
        const reading = containers[name]!
        addReading(historyOf(histories, pod, name, reading.cpuPeriods), reading, now)
      }
    },
    remove: (podUid) => void byPod.delete(podUid),
    clear: () => byPod.clear(),
    short() {
      const loads: ContainerLoad[] = []
      for (const histories of byPod.values())
        for (const [name, history] of histories) if (isShort(history)) loads.push(toLoad(name, history))
      return loads
    },
    snapshot: () => copyOf(byPod),
  }
}
