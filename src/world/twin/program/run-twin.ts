/** Runs the service of an image on a host until it is asked to terminate. */
import type { ServiceSlice } from '#spec'
import { formatCrash } from './crash-output.ts'
import { startTwin, type TwinOptions } from './start-twin.ts'

/** The port for metrics of pods whose protocol is not HTTP. */
const METRICS_PORT = 9464
/** The log volume that some original pods mount. In other pods the folder does not exist. */
const REQUEST_LOG_FOLDER = '/var/log/mysql'

/** Shorter than the shortest grace period of the pods. */
const GRACE_MS = 4000

export interface TwinRun extends Pick<TwinOptions, 'host' | 'env' | 'args' | 'compiled'> {
  /** Returns the slice of the image. Throws if it cannot be read. */
  readonly readSlice: () => ServiceSlice
  /** Aborts when the container is asked to terminate. */
  readonly termination: AbortSignal
}

const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Resolves with the exit code of the program. After a crash, the log of the container contains the reason. */
export const runTwin = async ({ readSlice, termination, ...options }: TwinRun): Promise<number> => {
  const { host } = options
  let slice: ServiceSlice | undefined
  try {
    slice = readSlice()
    const twin = await startTwin({
      ...options,
      slice,
      metricsPort: METRICS_PORT,
      requestLogFolder: REQUEST_LOG_FOLDER,
      signal: termination,
    })
    await waitForAbort(termination)
    await twin.close(GRACE_MS)
    return 0
  } catch (error) {
    if (termination.aborted) return 0
    host.write(formatCrash(error, host.time.now(), slice?.behaviour.logFormat))
    return 1
  }
}
