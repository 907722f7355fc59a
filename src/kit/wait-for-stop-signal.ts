/** Resolves on SIGINT, SIGTERM or SIGHUP. After the call, these signals no longer end the process. */
export const waitForStopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
  })
