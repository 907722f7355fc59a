/** Lets virtual time pass while asynchronous work runs: a timer fires whenever the work can do nothing but wait for one. */
import { monotonicMs } from './monotonic-time.ts'
import { settleReactions } from './settle-reactions.ts'

/** After this time without I/O, the driver lets the process handle messages, signals and timers of the operating system. */
const YIELD_MS = 25

export interface TimeDriver {
  /**
   * Resolves with the result of `work`. Virtual time passes until then, as fast as the processor allows. `work` must wait for timers of
   * this clock only: I/O of the operating system would make its order depend on real time. Calls can overlap. Rejects if
   * the work waits for something that no timer of the clock can cause, or if a timer throws.
   */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Virtual time stands still until `work`, which waits for the operating system or another process, has settled. */
  hold<T>(work: Promise<T>): Promise<T>
}

export interface PausableTimeDriver extends TimeDriver {
  /** Fires no timers until `resume` is called; something else fires them. */
  pause(): void
  resume(): void
}

const yieldToEventLoop = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

/** `runNext` runs the next task of the clock, and returns false if there is none. */
export const createTimeDriver = (runNext: () => boolean): PausableTimeDriver => {
  /** How to reject the runs that have not settled. */
  const running = new Set<(error: unknown) => void>()
  let holds = 0
  let released = Promise.withResolvers<void>()
  let isPaused = false
  let isDriving = false

  const fail = (error: unknown): void => {
    for (const reject of running) reject(error)
    running.clear()
  }

  const runNextTask = (): void => {
    try {
      if (!runNext())
        fail(new Error('The work waits for an event that no timer of the virtual clock can cause.'))
    } catch (error) {
      fail(error)
    }
  }

  const drive = async (): Promise<void> => {
    isDriving = true
    let yieldAt = monotonicMs() + YIELD_MS
    for (;;) {
      await settleReactions()
      if (running.size === 0 || isPaused) break
      if (holds > 0) await released.promise
      else if (monotonicMs() < yieldAt) {
        runNextTask()
        continue
      } else await yieldToEventLoop()
      yieldAt = monotonicMs() + YIELD_MS
    }
    isDriving = false
  }

  const start = (): void => {
    if (!isDriving && !isPaused && running.size > 0) void drive()
  }

  return {
    run(work) {
      const { promise: failed, reject } = Promise.withResolvers<never>()
      running.add(reject)
      const settled = (async () => work())().finally(() => running.delete(reject))
      // The caller gets the rejections of both.
      settled.catch(() => {})
      failed.catch(() => {})
      start()
      return Promise.race([settled, failed])
    },
    async hold(work) {
      holds += 1
      try {
        return await work
      } finally {
        holds -= 1
        if (holds === 0) {
          released.resolve()
          released = Promise.withResolvers()
        }
      }
    },
    pause() {
      isPaused = true
    },
    resume() {
      isPaused = false
      start()
    },
  }
}
