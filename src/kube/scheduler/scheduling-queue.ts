/** Pods that wait for a node: those to be tried now, those in back-off, and those that wait for a change. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock, Timer } from '../../kit/index.ts'
import type { Stored } from '../meta/index.ts'
import type { ClusterChange } from './filter.ts'

const FIRST_BACK_OFF_MS = 1000
const LONGEST_BACK_OFF_MS = 10_000
/** A pod is tried again after this time even if nothing seems to have changed. */
const LEFT_OVER_MS = 300_000

interface Entry {
  pod: Stored<Pod>
  attempts: number
  failedAt: number
  state: 'active' | 'back-off' | 'unschedulable'
  wakesOn: ReadonlySet<ClusterChange>
  timer?: Timer | undefined
}

export interface SchedulingQueue {
  /** A pod without a node is there, or has changed in a way that may help it. */
  add(pod: Stored<Pod>): void
  /** Keeps what is known of a waiting pod up to date. */
  refresh(pod: Stored<Pod>): void
  remove(uid: string): void
  /** Something has changed that some pods may have waited for. */
  wake(change: ClusterChange): void
  /** The pod was tried in vain, and may fit after one of these changes. */
  setAside(pod: Stored<Pod>, wakesOn: ReadonlySet<ClusterChange>): void
  /** An attempt has failed for no fault of the pod: it is tried again after its back-off. */
  retry(pod: Stored<Pod>): void
  /** Takes all that are to be tried now, the most important first. */
  takeActive(): Stored<Pod>[]
  /** Forgets all pods and their timers. */
  clear(): void
}

const byImportance = (a: Stored<Pod>, b: Stored<Pod>): number => {
  const priority = (b.spec.priority ?? 0) - (a.spec.priority ?? 0)
  if (priority !== 0) return priority
  const [first, second] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp]
  return first < second ? -1 : first > second ? 1 : 0
}

/** `onActive` is called when there is something to try. */
export const createSchedulingQueue = (clock: Clock, onActive: () => void): SchedulingQueue => {
  const entries = new Map<string, Entry>()

  const activate = (entry: Entry): void => {
    entry.timer?.cancel()
    entry.timer = undefined
    entry.state = 'active'
    onActive()
  }

  const noteAttempt = (entry: Entry): void => {
    entry.attempts += 1
    entry.failedAt = clock.now()
    entry.timer?.cancel()
  }

  const backOff = (entry: Entry): void => {
    const pause = Math.min(FIRST_BACK_OFF_MS * 2 ** (entry.attempts - 1), LONGEST_BACK_OFF_MS)
    const left = entry.failedAt + pause - clock.now()
    if (left <= 0) {
      activate(entry)
      return
    }
    entry.timer?.cancel()
    entry.state = 'back-off'
    entry.timer = clock.after(left, () => activate(entry))
  }

  return {
    add(pod) {
      const { uid } = pod.metadata
      const known = entries.get(uid)
      if (known !== undefined) {
        known.pod = pod
        if (known.state === 'unschedulable') backOff(known)
        return
      }
      const entry: Entry = { pod, attempts: 0, failedAt: 0, state: 'active', wakesOn: new Set() }
      entries.set(uid, entry)
      activate(entry)
    },
    refresh(pod) {
      const entry = entries.get(pod.metadata.uid)
      if (entry !== undefined) entry.pod = pod
    },
    remove(uid) {
      entries.get(uid)?.timer?.cancel()
      entries.delete(uid)
    },
    wake(change) {
      for (const entry of entries.values())
        if (entry.state === 'unschedulable' && entry.wakesOn.has(change)) backOff(entry)
    },
    setAside(pod, wakesOn) {
      const entry = entries.get(pod.metadata.uid)
      if (entry === undefined) return
      noteAttempt(entry)
      entry.state = 'unschedulable'
      entry.wakesOn = wakesOn
      entry.timer = clock.after(LEFT_OVER_MS, () => activate(entry))
    },
    retry(pod) {
      const entry = entries.get(pod.metadata.uid)
      if (entry === undefined) return
      noteAttempt(entry)
      backOff(entry)
    },
    takeActive: () =>
      [...entries.values()]
        .filter(({ state }) => state === 'active')
        .map(({ pod }) => pod)
        .sort(byImportance),
    clear() {
      for (const { timer } of entries.values()) timer?.cancel()
      entries.clear()
    },
  }
}
