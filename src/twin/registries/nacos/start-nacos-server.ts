/** A Nacos server, as far as discovery goes: registrations, beats and lists over HTTP, shared with its peers. */
import type { IncomingRequest, OutgoingAnswer, RequestHandler } from '../../ports/index.ts'
import { loadServiceServer } from '../../wires/index.ts'
import { createChanges } from '../changes.ts'
import type { StartRegistryServer } from '../registry-wire.ts'
import { type Instance, InstanceTable } from './instance-table.ts'
import { toBeatAnswer, toInstanceList, toServiceList } from './nacos-answers.ts'
import { createNacosPeers, type News, PEER_PATH, parsePeers } from './nacos-peers.ts'

const EXPIRY_MS = 1000

/** More than any client asks for. */
const MOST_WAIT_MS = 60_000

const NAMING = '/nacos/v1/ns'

/** Clients send parameters in the query or in a form. */
const parametersOf = ({ query, body }: IncomingRequest): Readonly<Record<string, string>> => ({
  ...query,
  ...(body !== null && typeof body === 'object' ? (body as Record<string, string>) : {}),
})

const ok = (body: unknown, headers?: Record<string, string>): OutgoingAnswer => ({
  status: 200,
  body,
  ...(headers ? { headers } : {}),
})

const refuse = (reason: string): OutgoingAnswer => ({ status: 400, body: `caused: ${reason};` })

/** Group and service are often written together. */
const serviceOf = (parameters: Readonly<Record<string, string>>): string =>
  String(parameters.serviceName ?? '')
    .split('@@')
    .at(-1)!

const parseInstance = (request: IncomingRequest): Instance | string => {
  const parameters = parametersOf(request)
  const port = Number(parameters.port)
  if (!serviceOf(parameters)) return "Param 'serviceName' is required."
  if (!parameters.ip) return "Param 'ip' is required."
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return "Param 'port' is illegal."
  return { service: serviceOf(parameters), host: parameters.ip, port }
}

export const startNacosServer: StartRegistryServer = async ({ port, environment, fails, log, onCommand }) => {
  const changes = createChanges()
  const table = new InstanceTable((service) => changes.changed(service))
  const peers = createNacosPeers(parsePeers(environment), log)

  const withInstance = (request: IncomingRequest, act: (instance: Instance) => unknown): OutgoingAnswer => {
    const instance = parseInstance(request)
    return typeof instance === 'string' ? refuse(instance) : ok(act(instance))
  }

  const register = (instance: Instance): string => {
    log('info', `Client connection for ${instance.service} registered: ${instance.host}:${instance.port}`)
    table.put(instance, Date.now())
    peers.tell({ instance, isGone: false }, true)
    return 'ok'
  }

  const deregister = (instance: Instance): string => {
    table.remove(instance)
    peers.tell({ instance, isGone: true }, true)
    return 'ok'
  }

  const beat = (instance: Instance): object => {
    const isKnown = table.has(instance)
    if (isKnown) {
      table.put(instance, Date.now())
      peers.tell({ instance, isGone: false }, false)
    }
    return toBeatAnswer(isKnown)
  }

  /** The parameters `index` and `wait` stand for the push that clients have from the original. */
  const list = async (request: IncomingRequest): Promise<OutgoingAnswer> => {
    const parameters = parametersOf(request)
    const service = serviceOf(parameters)
    if (!service) return refuse("Param 'serviceName' is required.")
    const index = Number(parameters.index ?? 0)
    if (index > 0) await changes.wait(service, index, Math.min(Number(parameters.wait ?? 0), MOST_WAIT_MS))
    const isAll = parameters.healthyOnly !== 'true'
    const instances = table.of(service).filter(({ healthy }) => isAll || healthy)
    return ok(toInstanceList(service, instances), { 'x-nacos-index': String(changes.index(service)) })
  }

  const hear = (batch: unknown): OutgoingAnswer => {
    if (!Array.isArray(batch)) return refuse('the body is no list')
    for (const { instance, isGone } of batch as readonly News[])
      if (isGone) table.remove(instance)
      else table.put(instance, Date.now())
    return ok('ok')
  }

  const routes: Readonly<
    Record<string, (request: IncomingRequest) => OutgoingAnswer | Promise<OutgoingAnswer>>
  > = {
    [`POST ${NAMING}/instance`]: (request) => withInstance(request, register),
    [`DELETE ${NAMING}/instance`]: (request) => withInstance(request, deregister),
    [`PUT ${NAMING}/instance/beat`]: (request) => withInstance(request, beat),
    [`GET ${NAMING}/instance/list`]: list,
    [`GET ${NAMING}/service/list`]: ({ query }) =>
      ok(toServiceList(table.names(), Number(query.pageNo ?? 1), Number(query.pageSize ?? 100))),
    [`GET ${PEER_PATH}`]: () => ok(table.all()),
    [`POST ${PEER_PATH}`]: ({ body }) => hear(body),
    'GET /nacos/v1/console/health/liveness': () => ok('OK'),
    'GET /nacos/v1/console/health/readiness': () => ok('OK'),
  }

  const handler: RequestHandler = async (request) => {
    const began = performance.now()
    const name = `${request.method} ${request.path}`
    const answer =
      fails?.(name) === true
        ? { status: 500, body: 'caused: unexpected null value' }
        : ((await routes[name]?.(request)) ?? { status: 404, body: { status: 404, path: request.path } })
    onCommand(
      routes[name] ? name : 'unknown',
      performance.now() - began,
      answer.status < 400 ? undefined : 'refused',
    )
    return answer
  }

  for (const instance of await peers.load()) table.put(instance, Date.now())
  const expiry = setInterval(() => {
    for (const { service, host, port: gone } of table.expire(Date.now()))
      log('info', `[AUTO-DELETE-IP] service: ${service}, ip: ${host}:${gone}`)
  }, EXPIRY_MS)
  const server = await (await loadServiceServer('http'))({ port, handler })
  log('info', 'Nacos started successfully in cluster mode. use external storage')
  return {
    port: server.port,
    close: (graceMs) => {
      clearInterval(expiry)
      peers.close()
      changes.close()
      return server.close(graceMs)
    },
  }
}
