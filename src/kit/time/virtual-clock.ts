/** A clock whose time passes only on request, while work runs, or as real time does. A simulated day takes milliseconds. */
import type { Clock } from './clock.ts'
import { createRealPace, type RealPace } from './create-real-pace.ts'
import { createTimeDriver, type TimeDriver } from './create-time-driver.ts'
import { createTimerHeap } from './timer-heap.ts'

export interface VirtualClock extends Clock, TimeDriver {
  /** Runs everything due within the next `milliseconds`, in order of time and then of registration. */
  advance(milliseconds: number): void
  /** Advances until `done` holds or `limit` milliseconds have passed; returns whether it held. */
  advanceUntil(done: () => boolean, limit: number): boolean
  /** Runs the deferred tasks or, if there are none, the next timer. Returns false if there was nothing to run. */
  runNext(): boolean
  /** From now on, time passes as real time does, until the returned function is called. */
  followRealTime(): () => void
}

export const createVirtualClock = (start = Date.UTC(2026, 0, 1)): VirtualClock => {
  let time = start
  let realPace: RealPace | undefined
  const timers = createTimerHeap()
  const deferred: (() => void)[] = []
  let nextDeferred = 0

  const hasDeferred = (): boolean => nextDeferred < deferred.length

  /** Stops at a task that throws. The next call continues after that task. */
  const runDeferred = (): void => {
    while (hasDeferred()) deferred[nextDeferred++]!()
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

  const now = (): number => {
    if (realPace !== undefined) time = Math.max(time, realPace.now())
    return time
  }

  const runNext = (): boolean => {
    if (!hasDeferred()) return step(Number.POSITIVE_INFINITY)
    runDeferred()
    return true
  }

  const driver = createTimeDriver(runNext)

  return {
    now,
    after(milliseconds, task) {
      const cancel = timers.add(now() + Math.max(0, milliseconds), task)
      realPace?.onAdded()
      return { cancel }
    },
    defer(task) {
      deferred.push(task)
      realPace?.onAdded()
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
    runNext,
    run: driver.run,
    hold: driver.hold,
    followRealTime() {
      if (realPace !== undefined) throw new Error('The clock already follows real time.')
      driver.pause()
      const pace = createRealPace({
        start: time,
        nextAt: () => (hasDeferred() ? time : timers.nextAt),
        runNext,
      })
      realPace = pace
      return () => {
        if (realPace !== pace) return
        now()
        pace.stop()
        realPace = undefined
        driver.resume()
      }
    },
  }
}
