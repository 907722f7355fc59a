/** The interface to time. Code that takes a `Clock` runs on the real clock as well as on a virtual one. */

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
