/** Time as the rest of the code sees it: nothing outside `kit` asks the operating system for it. */

export interface Timer {
  cancel(): void
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Runs `task` once, `milliseconds` from now. */
  after(milliseconds: number, task: () => void): Timer
  /** Runs `task` soon, after the current one has ended, in the order of the calls. */
  defer(task: () => void): void
}

/** Resolves after `milliseconds` of this clock's time. */
export const sleep = (clock: Clock, milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(milliseconds, resolve)
  })
