/** Resolves when the user or the system asks the process to end, or the terminal is closed. */
export const askedToEnd = (): Promise<void> =>
  new Promise((end) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end())
  })
