/** A clock that advances only on request, so that a simulated day takes milliseconds. */
import type { Clock } from './clock.ts'
import { createTimerHeap } from './timer-heap.ts'

export interface VirtualClock extends Clock {
  /** Runs everything due within the next `milliseconds`, in order of time and then of registration. */
  advance(milliseconds: number): void
  /** Advances until `done` holds or `limit` milliseconds have passed; returns whether it held. */
  advanceUntil(done: () => boolean, limit: number): boolean
  /** Runs the deferred tasks or, if there are none, the next timer. Returns false if there was nothing to run. */
  runNext(): boolean
}

export const createVirtualClock = (start = Date.UTC(2026, 0, 1)): VirtualClock => {
  let time = start
  const timers = createTimerHeap()
  const deferred: (() => void)[] = []
  let nextDeferred = 0

  /** Stops at a task that throws. The next call continues after that task. */
  const runDeferred = (): void => {
    while (nextDeferred < deferred.length) deferred[nextDeferred++]!()
    deferred.length = 0
    nextDeferred = 0
  }

  /** Runs the next timer that is due by `limit`; returns whether there was one. */
  const step = (limit: number): boolean => {
    const next = timers.take(limit)
    if (next === undefined) return false
    time = Math.max(time, next.at)
    next.task()
    runDeferred()
    return true
  }

  return {
    now: () => time,
    after: (milliseconds, task) => ({ cancel: timers.add(time + Math.max(0, milliseconds), task) }),
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
    runNext() {
      if (nextDeferred === deferred.length) return step(Number.POSITIVE_INFINITY)
      runDeferred()
      return true
    },
  }
}
