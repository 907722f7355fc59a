/** An AbortSignal that aborts on SIGINT, SIGTERM and SIGHUP, so that programs can clean up. */

export const createStopSignal = (): AbortSignal => {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => controller.abort(new Error(`stopped by ${signal}`)))
  return controller.signal
}
