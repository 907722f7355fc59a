/** Resolves after all promise reactions that are possible without a timer or I/O. */
export const settleReactions = (): Promise<void> =>
  new Promise((resolve) => {
    // The queue of nextTick is processed when the queue of promise reactions is empty.
    process.nextTick(resolve)
  })
