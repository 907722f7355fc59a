/** Counts container restarts per pod over the last five minutes. */
import type { PodState } from '../collect/pod-index.ts'

const WINDOW_MS = 300_000

export interface RestartCounts {
  add(pod: PodState, now: number): void
  remove(podUid: string): void
  /** Drops earlier restarts, but keeps the totals, so that only later restarts count. */
  clear(): void
  /** Restarts within the last `milliseconds`, at most five minutes. */
  within(podUid: string, now: number, milliseconds: number): number
  snapshot(): RestartCountsState
}

interface Count {
  readonly total: number
  readonly times: readonly number[]
}

/** By uid of the pod. */
export type RestartCountsState = ReadonlyMap<string, Count>

/** Continues from a snapshot if one is given. */
export const createRestartCounts = (from?: RestartCountsState): RestartCounts => {
  const counts = new Map<string, Count>(from)
  return {
    add({ uid, containers }, now) {
      const total = containers.reduce((sum, container) => sum + container.restarts, 0)
      const known = counts.get(uid) ?? { total, times: [] }
      const added = Array.from({ length: Math.max(0, total - known.total) }, () => now)
      const recent = known.times.filter((time) => now - time < WINDOW_MS)
      counts.set(uid, { total, times: [...recent, ...added] })
    },
    remove: (podUid) => void counts.delete(podUid),
    clear() {
      for (const [uid, { total }] of counts) counts.set(uid, { total, times: [] })
    },
    within: (podUid, now, milliseconds) =>
      counts.get(podUid)?.times.filter((time) => now - time <= milliseconds).length ?? 0,
    snapshot: () => new Map(counts),
  }
}
