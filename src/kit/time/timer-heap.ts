/** A priority queue of timers, ordered by due time. The owner fires them. */

interface Entry {
  readonly at: number
  readonly order: number
  /** Undefined once the timer has been cancelled or taken, so that the task can be garbage-collected. */
  task: (() => void) | undefined
}

export interface TimerHeap {
  /** Number of entries, including cancelled ones that have not been removed yet. */
  readonly size: number
  /** Due time of the next entry, which may be a cancelled one. */
  readonly nextAt: number | undefined
  /** Returns a function that cancels the timer. */
  add(at: number, task: () => void): () => void
  /** Removes and returns the next task that is due by `limit`. */
  take(limit: number): { at: number; task: () => void } | undefined
}

/** Below this size cancelled entries are not removed early. */
const MIN_COMPACTED_SIZE = 32

const compare = (a: Entry, b: Entry): number => a.at - b.at || a.order - b.order

const push = (heap: Entry[], entry: Entry): void => {
  let index = heap.push(entry) - 1
  while (index > 0) {
    const parent = (index - 1) >> 1
    if (compare(entry, heap[parent]!) >= 0) break
    heap[index] = heap[parent]!
    index = parent
  }
  heap[index] = entry
}

const pop = (heap: Entry[]): void => {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  let index = 0
  for (;;) {
    let child = 2 * index + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && compare(heap[child + 1]!, heap[child]!) < 0) child += 1
    if (compare(heap[child]!, last) >= 0) break
    heap[index] = heap[child]!
    index = child
  }
  heap[index] = last
}

export const createTimerHeap = (): TimerHeap => {
  let heap: Entry[] = []
  let order = 0
  let cancelled = 0

  const cancel = (entry: Entry): void => {
    if (entry.task === undefined) return
    entry.task = undefined
    cancelled += 1
    if (heap.length < MIN_COMPACTED_SIZE || cancelled * 2 <= heap.length) return
    // A sorted array is a valid heap.
    heap = heap.filter(({ task }) => task !== undefined).sort(compare)
    cancelled = 0
  }

  return {
    get size() {
      return heap.length
    },
    get nextAt() {
      return heap[0]?.at
    },
    add(at, task) {
      const entry: Entry = { at, order: order++, task }
      push(heap, entry)
      return () => cancel(entry)
    },
    take(limit) {
      for (;;) {
        const next = heap[0]
        if (next === undefined || next.at > limit) return undefined
        pop(heap)
        const { at, task } = next
        next.task = undefined
        if (task !== undefined) return { at, task }
        cancelled -= 1
      }
    },
  }
}
