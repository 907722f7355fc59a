/** The clocks of an episode, and waiting by them. */
import { createRealClock, preciseNow } from '../kit/index.ts'

export interface EpisodeTime {
  /** Milliseconds since the epoch, by a clock that goes forward evenly. */
  precise(): number
  /** The same by the machine's clock, which people set. */
  wall(): number
  /** Ends early, without an error, where the signal says so. */
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
        const end = (): void => {
          timer.cancel()
          signal?.removeEventListener('abort', end)
          resolve()
        }
        const timer = clock.after(ms, end)
        signal?.addEventListener('abort', end, { once: true })
      }),
  }
}
