/** Reads the metrics of pods over HTTP. */
import type { Duplex } from 'node:stream'
import type { Clock } from '#kit'
import { fetchMetrics } from './fetch-metrics.ts'
import type { PodState } from './pod-index.ts'
import type { ReadMetrics } from './read-metrics.ts'

const TIMEOUT_MS = 3000

/** Opens a connection to a port of the pod. */
export type ConnectToPod = (pod: PodState, port: number) => Promise<Duplex>

/** Rejects after the timeout; a connection that is established later is closed. */
const connectInTime = async (connecting: Promise<Duplex>, clock: Clock): Promise<Duplex> => {
  const tooLate = Promise.withResolvers<never>()
  const timer = clock.after(TIMEOUT_MS, () => {
    connecting.then(
      (late) => late.destroy(),
      () => {},
    )
    tooLate.reject(new Error('no connection in time'))
  })
  try {
    return await Promise.race([connecting, tooLate.promise])
  } finally {
    timer.cancel()
  }
}

export const readMetricsOverHttp =
  (connect: ConnectToPod, clock: Clock): ReadMetrics =>
  async (pod, { port, path }) => {
    const connection = await connectInTime(connect(pod, port), clock)
    return await fetchMetrics(connection, { path, clock, timeoutMs: TIMEOUT_MS })
  }
