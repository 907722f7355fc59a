/** Serves the metrics of a process at `/metrics` in Prometheus format. */
import type { ListeningServer, Meter, OutgoingAnswer, RequestHandler } from '#world/twin/ports'
import type { Twin } from './twin.ts'

const METRICS_PATH = '/metrics'

const toAnswer = (meter: Meter): OutgoingAnswer => ({
  status: 200,
  headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
  body: meter.text(),
})

/** Adds `/metrics` to the endpoints of an HTTP service. */
export const withMetrics =
  (handle: RequestHandler, meter: Meter): RequestHandler =>
  (request) =>
    request.path === METRICS_PATH && request.method === 'GET'
      ? Promise.resolve(toAnswer(meter))
      : handle(request)

/** Serves only the metrics, for processes with another protocol. */
export const serveMetrics = async (port: number, { host, meter }: Twin): Promise<ListeningServer> => {
  const startHttpServer = await host.protocols.serviceServer('http')
  const handler = withMetrics(() => Promise.resolve({ status: 404, body: 'Not Found' }), meter)
  return startHttpServer({ port, handler })
}
