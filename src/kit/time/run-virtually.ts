/** Runs asynchronous code under a virtual clock: time passes whenever the code can do nothing but wait for a timer. */
import type { VirtualClock } from './virtual-clock.ts'

/** Resolves after all promise reactions that are possible without a timer or I/O. */
const settleReactions = (): Promise<void> =>
  new Promise((resolve) => {
    // The queue of nextTick is processed when the queue of promise reactions is empty.
    process.nextTick(resolve)
  })

/**
 * Resolves with the result of `work`. The work must wait for timers of this clock only: I/O of the operating system would make its
 * order depend on real time. Rejects if the work waits for something that no timer of the clock can bring about.
 */
export const runVirtually = async <T>(clock: VirtualClock, work: () => Promise<T>): Promise<T> => {
  let isSettled = false
  const running = work().finally(() => {
    isSettled = true
  })
  // The rejection is handled by the caller, who gets the same promise.
  running.catch(() => {})
  for (;;) {
    await settleReactions()
    if (isSettled) return running
    if (!clock.runNext())
      throw new Error('The work waits for an event that no timer of the virtual clock can cause.')
  }
}
