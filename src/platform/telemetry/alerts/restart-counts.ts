/** Counts container restarts per pod over the last five minutes. */
import type { PodState } from '../collect/pod-index.ts'

const WINDOW_MS = 300_000

export interface RestartCounts {
  add(pod: PodState, now: number): void
  remove(podUid: string): void
  /** Drops the restarts so far, but keeps the totals, so that only later restarts count. */
  clear(): void
  /** Restarts within the last `milliseconds`, at most five minutes. */
  within(podUid: string, now: number, milliseconds: number): number
}

export const createRestartCounts = (): RestartCounts => {
  const counts = new Map<string, { total: number; times: number[] }>()
  return {
    add({ uid, containers }, now) {
      const total = containers.reduce((sum, container) => sum + container.restarts, 0)
      const known = counts.get(uid) ?? { total, times: [] }
      for (let counted = known.total; counted < total; counted += 1) known.times.push(now)
      counts.set(uid, { total, times: known.times.filter((time) => now - time < WINDOW_MS) })
    },
    remove: (podUid) => void counts.delete(podUid),
    clear() {
      for (const count of counts.values()) count.times = []
    },
    within: (podUid, now, milliseconds) =>
      counts.get(podUid)?.times.filter((time) => now - time <= milliseconds).length ?? 0,
  }
}
