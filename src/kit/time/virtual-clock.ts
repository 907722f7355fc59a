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

const createDeferredTasks = () => {
  const deferred: (() => void)[] = []
  let next = 0
  return {
    get isEmpty() {
      return next === deferred.length
    },
    add: (task: () => void): void => void deferred.push(task),
    /** Stops at a task that throws. The next call continues after that task. */
    run(): void {
      while (next < deferred.length) deferred[next++]!()
      deferred.length = 0
      next = 0
    },
  }
}

export const createVirtualClock = (start = Date.UTC(2026, 0, 1)): VirtualClock => {
  let time = start
  let realPace: RealPace | undefined
  const timers = createTimerHeap()
  const deferred = createDeferredTasks()

  /** Runs the next timer that is due by `limit`; returns whether there was one. */
  const step = (limit: number): boolean => {
    const next = timers.take(limit)
    if (next === undefined) return false
    time = Math.max(time, next.at)
    next.task()
    deferred.run()
    return true
  }

  const now = (): number => {
    if (realPace !== undefined) time = Math.max(time, realPace.now())
    return time
  }

  const runNext = (): boolean => {
    if (deferred.isEmpty) return step(Number.POSITIVE_INFINITY)
    deferred.run()
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
      deferred.add(task)
      realPace?.onAdded()
    },
    advance(milliseconds) {
      const limit = time + milliseconds
      deferred.run()
      while (step(limit));
      time = limit
    },
    advanceUntil(done, limit) {
      const end = time + limit
      deferred.run()
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
        nextAt: () => (deferred.isEmpty ? timers.nextAt : time),
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
