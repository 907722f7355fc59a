/** The measures of a process at `/metrics`, as Prometheus asks for them. */
import type { ListeningServer, Meter, OutgoingAnswer, RequestHandler } from '../ports/index.ts'
import { loadServiceServer } from '../wires/index.ts'

const PATH = '/metrics'

const toAnswer = (meter: Meter): OutgoingAnswer => ({
  status: 200,
  headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
  body: meter.text(),
})

/** Beside what a service serves itself. */
export const withMetrics =
  (handle: RequestHandler, meter: Meter): RequestHandler =>
  (request) =>
    request.path === PATH && request.method === 'GET' ? Promise.resolve(toAnswer(meter)) : handle(request)

/** By itself, for those who speak something else. */
export const serveMetrics = async (port: number, meter: Meter): Promise<ListeningServer> => {
  const startHttpServer = await loadServiceServer('http')
  const handler = withMetrics(() => Promise.resolve({ status: 404, body: 'Not Found' }), meter)
  return startHttpServer({ port, handler })
}
