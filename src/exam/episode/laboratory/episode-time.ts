/** The clocks of an episode. */
import { type Clock, createRealClock, preciseNow } from '#kit'

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
}

const createTime = (clock: Clock, precise: () => number): EpisodeTime => ({
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

/** The time of a cluster that has its own clock; that of the machine by default. */
export const createEpisodeTime = (clock?: Clock): EpisodeTime =>
  clock === undefined
    ? createTime(createRealClock({ keepsAlive: true }), preciseNow)
    : createTime(clock, () => clock.now())
