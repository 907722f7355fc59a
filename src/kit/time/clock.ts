/** The interface to time: code outside `kit` never reads the clock of the operating system. */

export interface Timer {
  cancel(): void
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Runs `task` once, `milliseconds` from now. */
  after(milliseconds: number, task: () => void): Timer
  /** Runs `task` after the current task has ended. Deferred tasks run in the order of the calls. */
  defer(task: () => void): void
}

/** Resolves after `milliseconds` of this clock's time. */
export const sleep = (clock: Clock, milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(milliseconds, resolve)
  })
