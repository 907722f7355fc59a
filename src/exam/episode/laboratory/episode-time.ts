/** The clocks of an episode. */
import { type Clock, createRealClock, preciseNow } from '#kit'
import type { EngineClock } from '#spec'

export interface EpisodeTime {
  /** Its timers keep the process alive. */
  readonly clock: Clock
  /** Milliseconds since the epoch, by a monotonic clock. */
  precise(): number
  /** Milliseconds since the epoch, by the machine's clock, which can jump. */
  wall(): number
  /** Resolves early, without an error, if the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  after(ms: number, task: () => void): { cancel(): void }
  /** On a simulated cluster, time passes until the work has ended. */
  run<T>(work: () => Promise<T>): Promise<T>
  /**
   * Waits for work of the operating system or of another process. On a simulated cluster, time stands still meanwhile, and then passes
   * by the result of `millisecondsOf`, or less if the signal aborts.
   */
  waitOutside<T>(work: Promise<T>, millisecondsOf: (result: T) => number, signal?: AbortSignal): Promise<T>
}

type TimeWithoutWork = Omit<EpisodeTime, 'run' | 'waitOutside'>

const createTime = (clock: Clock, precise: () => number): TimeWithoutWork => ({
  clock,
  precise,
  wall: () => clock.now(),
  after: (ms, task) => clock.after(ms, task),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const finish = (): void => {
        timer.cancel()
        signal?.removeEventListener('abort', finish)
        resolve()
      }
      const timer = clock.after(ms, finish)
      signal?.addEventListener('abort', finish, { once: true })
    }),
})

const createMachineTime = (): EpisodeTime => ({
  ...createTime(createRealClock({ keepsAlive: true }), preciseNow),
  run: (work) => work(),
  waitOutside: (work) => work,
})

const createVirtualTime = (clock: EngineClock): EpisodeTime => {
  const time = createTime(clock, () => clock.now())
  return {
    ...time,
    run: (work) => clock.run(work),
    async waitOutside(work, millisecondsOf, signal) {
      const result = await clock.hold(work)
      const milliseconds = millisecondsOf(result)
      if (milliseconds > 0) await time.sleep(milliseconds, signal)
      return result
    },
  }
}

/** The time of a simulated cluster; that of the machine by default. */
export const createEpisodeTime = (clock?: EngineClock): EpisodeTime =>
  clock === undefined ? createMachineTime() : createVirtualTime(clock)
