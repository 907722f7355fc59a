/** A clock that moves only when told to, so that a day of cluster life takes milliseconds. */
import type { Clock, Timer } from './clock.ts'

interface Entry {
  at: number
  order: number
  task: () => void
  cancelled: boolean
}

export interface VirtualClock extends Clock {
  /** Runs everything due within the next `milliseconds`, in order of time and then of registration. */
  advance(milliseconds: number): void
  /** Advances until `done` holds or `limit` milliseconds have passed; tells whether it held. */
  advanceUntil(done: () => boolean, limit: number): boolean
}

export const createVirtualClock = (start = Date.UTC(2026, 0, 1)): VirtualClock => {
  let time = start
  let order = 0
  const deferred: (() => void)[] = []
  const heap: Entry[] = []

  const precedes = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

  const push = (entry: Entry): void => {
    let index = heap.push(entry) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!precedes(entry, heap[parent]!)) break
      heap[index] = heap[parent]!
      index = parent
    }
    heap[index] = entry
  }

  const pop = (): Entry | undefined => {
    const top = heap[0]
    const last = heap.pop()
    if (top === undefined || last === undefined || heap.length === 0) return top
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && precedes(heap[child + 1]!, heap[child]!)) child += 1
      if (!precedes(heap[child]!, last)) break
      heap[index] = heap[child]!
      index = child
    }
    heap[index] = last
    return top
  }

  const runDeferred = (): void => {
    for (let index = 0; index < deferred.length; index += 1) deferred[index]!()
    deferred.length = 0
  }

  /** Runs the next due timer, if one is due by `limit`; tells whether there was one. */
  const step = (limit: number): boolean => {
    const next = heap[0]
    if (next === undefined || next.at > limit) return false
    pop()
    if (next.cancelled) return true
    time = Math.max(time, next.at)
    next.task()
    runDeferred()
    return true
  }

  return {
    now: () => time,
    after(milliseconds, task): Timer {
      const entry: Entry = { at: time + Math.max(0, milliseconds), order: order++, task, cancelled: false }
      push(entry)
      return {
        cancel: () => {
          entry.cancelled = true
        },
      }
    },
    defer: (task) => {
      deferred.push(task)
    },
    advance(milliseconds) {
      const limit = time + milliseconds
      runDeferred()
      while (step(limit));
      time = limit
    },
    advanceUntil(done, limit) {
      const end = time + limit
      runDeferred()
      while (!done()) {
        if (!step(end)) {
          time = end
          return done()
        }
      }
      return true
    },
  }
}
