/** The queue of pending pods: active, in back-off, or unschedulable until the cluster changes. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock, Timer } from '#kit'
import type { Stored } from '#platform/kube/meta'
import type { ClusterChange } from './filter.ts'

const FIRST_BACK_OFF_MS = 1000
const MAX_BACK_OFF_MS = 10_000
/** An unschedulable pod is retried after this time even without a relevant change. */
const MAX_UNSCHEDULABLE_MS = 300_000

interface Entry {
  pod: Stored<Pod>
  attempts: number
  failedAt: number
  state: 'active' | 'back-off' | 'unschedulable'
  retriesOn: ReadonlySet<ClusterChange>
  timer?: Timer | undefined
}

export interface SchedulingQueue {
  /** Adds a new pod, or requeues one whose change may make it schedulable. */
  add(pod: Stored<Pod>): void
  /** Replaces the pod in its entry without requeueing it. */
  update(pod: Stored<Pod>): void
  remove(uid: string): void
  /** Requeues the unschedulable pods that a change of the cluster might make schedulable. */
  requeue(change: ClusterChange): void
  /** Marks the pod as unschedulable until a change in `retriesOn` happens. */
  addUnschedulable(pod: Stored<Pod>, retriesOn: ReadonlySet<ClusterChange>): void
  /** Retries the pod after its back-off; for failures that the pod did not cause. */
  retry(pod: Stored<Pod>): void
  /** Returns the active pods, highest priority first. */
  activePods(): Stored<Pod>[]
  /** Removes all pods and cancels their timers. */
  clear(): void
}

const byPriority = (a: Stored<Pod>, b: Stored<Pod>): number => {
  const priority = (b.spec.priority ?? 0) - (a.spec.priority ?? 0)
  if (priority !== 0) return priority
  const [first, second] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp]
  return first < second ? -1 : first > second ? 1 : 0
}

/** Calls `onActive` whenever a pod becomes active. */
export const createSchedulingQueue = (clock: Clock, onActive: () => void): SchedulingQueue => {
  const entries = new Map<string, Entry>()

  const activate = (entry: Entry): void => {
    entry.timer?.cancel()
    entry.timer = undefined
    entry.state = 'active'
    onActive()
  }

  const recordAttempt = (entry: Entry): void => {
    entry.attempts += 1
    entry.failedAt = clock.now()
    entry.timer?.cancel()
  }

  const backOff = (entry: Entry): void => {
    const backOffMs = Math.min(FIRST_BACK_OFF_MS * 2 ** (entry.attempts - 1), MAX_BACK_OFF_MS)
    const remainingMs = entry.failedAt + backOffMs - clock.now()
    if (remainingMs <= 0) {
      activate(entry)
      return
    }
    entry.timer?.cancel()
    entry.state = 'back-off'
    entry.timer = clock.after(remainingMs, () => activate(entry))
  }

  return {
    add(pod) {
      const { uid } = pod.metadata
      const existing = entries.get(uid)
      if (existing !== undefined) {
        existing.pod = pod
        if (existing.state === 'unschedulable') backOff(existing)
        return
      }
      const entry: Entry = { pod, attempts: 0, failedAt: 0, state: 'active', retriesOn: new Set() }
      entries.set(uid, entry)
      activate(entry)
    },
    update(pod) {
      const entry = entries.get(pod.metadata.uid)
      if (entry !== undefined) entry.pod = pod
    },
    remove(uid) {
      entries.get(uid)?.timer?.cancel()
      entries.delete(uid)
    },
    requeue(change) {
      for (const entry of entries.values())
        if (entry.state === 'unschedulable' && entry.retriesOn.has(change)) backOff(entry)
    },
    addUnschedulable(pod, retriesOn) {
      const entry = entries.get(pod.metadata.uid)
      if (entry === undefined) return
      recordAttempt(entry)
      entry.state = 'unschedulable'
      entry.retriesOn = retriesOn
      entry.timer = clock.after(MAX_UNSCHEDULABLE_MS, () => activate(entry))
    },
    retry(pod) {
      const entry = entries.get(pod.metadata.uid)
      if (entry === undefined) return
      recordAttempt(entry)
      backOff(entry)
    },
    activePods: () =>
      [...entries.values()]
        .filter(({ state }) => state === 'active')
        .map(({ pod }) => pod)
        .sort(byPriority),
    clear() {
      for (const { timer } of entries.values()) timer?.cancel()
      entries.clear()
    },
  }
}
