/** A trace store with the API of Jaeger: receives spans and answers the queries of its user interface. */
import type { IncomingRequest, ListeningServer, OutgoingAnswer, RequestHandler } from '#world/twin/ports'
import { decodeName } from '../decode-name.ts'
import type { RegistryHost } from '../registry-host.ts'
import type { RegistryServerOptions } from '../registry-protocol.ts'
import { parseSpans } from './parse-spans.ts'
import { SpanStore } from './span-store.ts'
import { toJaegerTrace } from './to-jaeger-trace.ts'

const QUERY_PORT = 16_686

/** Ports of the HTTP collectors and of the admin endpoint. */
const OTHER_PORTS = [4318, 14_268, 14_269]

/** Port of the agent, which receives datagrams. */
const AGENT_PORT = 6831

const DEFAULT_LIMIT = 20

const toResponse = (data: readonly unknown[]): OutgoingAnswer => ({
  status: 200,
  body: { data, total: data.length, limit: 0, offset: 0, errors: null },
})

const toErrorResponse = (status: number, msg: string): OutgoingAnswer => ({
  status,
  body: { data: null, total: 0, limit: 0, offset: 0, errors: [{ code: status, msg }] },
})

const createHandler = (store: SpanStore) => {
  const receive = ({ raw }: IncomingRequest): OutgoingAnswer => {
    try {
      store.add(parseSpans(raw?.body.toString() ?? ''))
      return { status: 200, body: { partialSuccess: {} } }
    } catch {
      return toErrorResponse(400, 'the body contains no spans in JSON')
    }
  }
  const search = ({ query }: IncomingRequest): OutgoingAnswer => {
    if (!query.service) return toErrorResponse(400, "parameter 'service' is required")
    const limit = Number(query.limit ?? DEFAULT_LIMIT)
    return toResponse(
      store
        .find({ service: query.service, operation: query.operation || undefined, limit })
        .map(toJaegerTrace),
    )
  }
  const getTrace = (traceId: string): OutgoingAnswer => {
    const spans = store.trace(traceId)
    return spans.length === 0 ? toErrorResponse(404, 'trace not found') : toResponse([toJaegerTrace(spans)])
  }
  return (request: IncomingRequest): OutgoingAnswer => {
    const { method, path } = request
    if (method === 'POST' && (path === '/v1/traces' || path === '/api/traces')) return receive(request)
    if (method !== 'GET') return toErrorResponse(405, 'method not allowed')
    if (path === '/') return { status: 200, body: { status: 'Server available' } }
    if (path === '/api/services') return toResponse(store.services())
    if (path === '/api/traces') return search(request)
    const [, trace] = /^\/api\/traces\/([0-9a-f]+)$/.exec(path) ?? []
    if (trace) return getTrace(trace)
    const [, service] = /^\/api\/services\/([^/]+)\/operations$/.exec(path) ?? []
    return service ? toResponse(store.operations(decodeName(service))) : toErrorResponse(404, 'not found')
  }
}

/** Receives the datagrams that clients send to a port. */
export type ListenForDatagrams = (
  port: number,
  onMessage: (text: string) => void,
) => Promise<{ close(): unknown }>

/** Ignores malformed datagrams. */
const receiveDatagrams = (store: SpanStore, listen: ListenForDatagrams): ReturnType<ListenForDatagrams> =>
  listen(AGENT_PORT, (text) => {
    try {
      store.add(parseSpans(text))
    } catch {
      // Not spans.
    }
  })

/** Without `listenForDatagrams`, the store has no agent. */
export const startJaegerServer = async (
  host: RegistryHost,
  { port, fails, log, onCommand }: RegistryServerOptions,
  listenForDatagrams?: ListenForDatagrams,
): Promise<ListeningServer> => {
  const store = new SpanStore()
  const handleRequest = createHandler(store)
  const handler: RequestHandler = async (request) => {
    const startedAt = host.time.monotonic()
    const command = request.method === 'POST' ? 'collect' : 'query'
    const isFailing = fails?.(command) === true
    const response = isFailing ? toErrorResponse(500, 'internal error') : handleRequest(request)
    onCommand(command, host.time.monotonic() - startedAt, isFailing ? 'refused' : undefined)
    return response
  }
  const start = await host.protocols.serviceServer('http')
  const ports = port === QUERY_PORT ? [port, ...OTHER_PORTS] : [port]
  const servers = await Promise.all(ports.map((listenPort) => start({ port: listenPort, handler })))
  const hasAgent = port === QUERY_PORT && listenForDatagrams !== undefined
  const agent = hasAgent ? await receiveDatagrams(store, listenForDatagrams) : undefined
  log('info', `Query server started, port ${servers[0]!.port}`)
  return {
    port: servers[0]!.port,
    close: async (graceMs) => {
      agent?.close()
      await Promise.all(servers.map((server) => server.close(graceMs)))
    },
  }
}
