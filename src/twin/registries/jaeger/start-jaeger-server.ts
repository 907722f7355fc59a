/** A trace store that speaks as Jaeger does: takes spans, and answers the questions of its user interface. */
import type { Socket } from 'node:dgram'
import type { IncomingRequest, OutgoingAnswer, RequestHandler } from '../../ports/index.ts'
import { loadServiceServer } from '../../wires/index.ts'
import { decodeName } from '../decode-name.ts'
import type { StartRegistryServer } from '../registry-wire.ts'
import { parseSpans } from './parse-spans.ts'
import { SpanStore } from './span-store.ts'
import { toJaegerTrace } from './to-jaeger-trace.ts'

const QUERY_PORT = 16_686

/** Collectors over HTTP, and the administrator's door. */
const OTHER_PORTS = [4318, 14_268, 14_269]

/** Of the agent, to which services send datagrams. */
const AGENT_PORT = 6831

const USUAL_LIMIT = 20

const found = (data: readonly unknown[]): OutgoingAnswer => ({
  status: 200,
  body: { data, total: data.length, limit: 0, offset: 0, errors: null },
})

const fail = (status: number, msg: string): OutgoingAnswer => ({
  status,
  body: { data: null, total: 0, limit: 0, offset: 0, errors: [{ code: status, msg }] },
})

const createHandler = (store: SpanStore) => {
  const take = ({ raw }: IncomingRequest): OutgoingAnswer => {
    try {
      store.add(parseSpans(raw?.body.toString() ?? ''))
      return { status: 200, body: { partialSuccess: {} } }
    } catch {
      return fail(400, 'the body is no spans in JSON')
    }
  }
  const search = ({ query }: IncomingRequest): OutgoingAnswer => {
    if (!query.service) return fail(400, "parameter 'service' is required")
    const limit = Number(query.limit ?? USUAL_LIMIT)
    return found(
      store
        .find({ service: query.service, operation: query.operation || undefined, limit })
        .map(toJaegerTrace),
    )
  }
  const show = (traceId: string): OutgoingAnswer => {
    const spans = store.trace(traceId)
    return spans.length === 0 ? fail(404, 'trace not found') : found([toJaegerTrace(spans)])
  }
  return (request: IncomingRequest): OutgoingAnswer => {
    const { method, path } = request
    if (method === 'POST' && (path === '/v1/traces' || path === '/api/traces')) return take(request)
    if (method !== 'GET') return fail(405, 'method not allowed')
    if (path === '/') return { status: 200, body: { status: 'Server available' } }
    if (path === '/api/services') return found(store.services())
    if (path === '/api/traces') return search(request)
    const [, trace] = /^\/api\/traces\/([0-9a-f]+)$/.exec(path) ?? []
    if (trace) return show(trace)
    const [, service] = /^\/api\/services\/([^/]+)\/operations$/.exec(path) ?? []
    return service ? found(store.operations(decodeName(service))) : fail(404, 'not found')
  }
}

/** Datagrams that make no sense are lost, as datagrams may be. */
const listenForDatagrams = async (store: SpanStore, port: number): Promise<Socket> => {
  const { createSocket } = await import('node:dgram')
  const socket = createSocket('udp4')
  socket.on('message', (message) => {
    try {
      store.add(parseSpans(message.toString()))
    } catch {
      // Something else than spans.
    }
  })
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.bind(port, resolve)
  })
  return socket
}

export const startJaegerServer: StartRegistryServer = async ({ port, fails, log, onCommand }) => {
  const store = new SpanStore()
  const answer = createHandler(store)
  const handler: RequestHandler = async (request) => {
    const began = performance.now()
    const command = request.method === 'POST' ? 'collect' : 'query'
    const broken = fails?.(command) === true
    const answered = broken ? fail(500, 'internal error') : answer(request)
    onCommand(command, performance.now() - began, broken ? 'refused' : undefined)
    return answered
  }
  const start = await loadServiceServer('http')
  const ports = port === QUERY_PORT ? [port, ...OTHER_PORTS] : [port]
  const servers = await Promise.all(ports.map((each) => start({ port: each, handler })))
  const agent = port === QUERY_PORT ? await listenForDatagrams(store, AGENT_PORT) : undefined
  log('info', `Query server started, port ${servers[0]!.port}`)
  return {
    port: servers[0]!.port,
    close: async (graceMs) => {
      agent?.close()
      await Promise.all(servers.map((server) => server.close(graceMs)))
    },
  }
}
