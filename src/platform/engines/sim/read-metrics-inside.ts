/** Reads the metrics of simulated pods by a request from inside the pod. */
import type { Clock } from '#kit'
import type { SimNetwork } from '#platform/engines/sim/network'
import type { ReadMetrics } from '#platform/telemetry'
import type { HttpRequestContent, HttpResponseContent } from '#spec'

const TIMEOUT_MS = 3000
/** The size of the request line and the headers. */
const REQUEST_BYTES = 100
const OK = 200

export const readMetricsInside =
  (network: SimNetwork, clock: Clock): ReadMetrics =>
  async ({ uid }, { port, path }) => {
    const controller = new AbortController()
    const { signal } = controller
    const timer = clock.after(TIMEOUT_MS, () => controller.abort(new Error('no answer in time')))
    try {
      const connection = await network.connectInside(uid, port, 'loopback', signal)
      signal.addEventListener('abort', () => connection.close(), { once: true })
      const request: HttpRequestContent = { method: 'GET', target: path, headers: { host: 'localhost' } }
      const { content } = await connection.exchange({ content: request, bytes: REQUEST_BYTES })
      connection.close()
      const { status, body } = content as HttpResponseContent
      if (status !== OK) throw new Error(`the metrics have status ${status}`)
      return body
    } finally {
      timer.cancel()
    }
  }
