/** The clocks of an episode. */
import { createRealClock, preciseNow } from '#kit'

export interface EpisodeTime {
  /** Milliseconds since the epoch, by a monotonic clock. */
  precise(): number
  /** Milliseconds since the epoch, by the machine's clock, which can jump. */
  wall(): number
  /** Resolves early, without an error, if the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  after(ms: number, task: () => void): { cancel(): void }
}

export const createEpisodeTime = (): EpisodeTime => {
  const clock = createRealClock({ keepsAlive: true })
  return {
    precise: preciseNow,
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
  }
}
