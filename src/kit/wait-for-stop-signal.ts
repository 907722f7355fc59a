/** Resolves on SIGINT, SIGTERM or SIGHUP. The process no longer ends on these signals by default. */
export const waitForStopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
  })
