/** The HTTP routes of a Nacos server. */
import type { IncomingRequest, OutgoingAnswer, StoreServerOptions } from '#world/twin/ports'
import type { Changes } from '../changes.ts'
import type { Instance, InstanceTable } from './instance-table.ts'
import { toBeatAnswer, toInstanceList, toServiceList } from './nacos-answers.ts'
import { type InstanceUpdate, type NacosPeers, PEER_PATH } from './nacos-peers.ts'

/** Longer than any client waits. */
const MAX_WAIT_MS = 60_000

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

const toBadRequest = (reason: string): OutgoingAnswer => ({ status: 400, body: `caused: ${reason};` })

/** Clients often send `group@@service`. */
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

export interface NacosState {
  readonly changes: Changes
  readonly table: InstanceTable
  readonly peers: NacosPeers
  readonly log: StoreServerOptions['log']
  /** Whole milliseconds since the epoch. */
  now(): number
}

const withInstance = (request: IncomingRequest, apply: (instance: Instance) => unknown): OutgoingAnswer => {
  const instance = parseInstance(request)
  return typeof instance === 'string' ? toBadRequest(instance) : ok(apply(instance))
}

const register = ({ table, peers, log, now }: NacosState, instance: Instance): string => {
  log('info', `Client connection for ${instance.service} registered: ${instance.host}:${instance.port}`)
  table.put(instance, now())
  peers.publish({ instance, isRemoved: false }, true)
  return 'ok'
}

const deregister = ({ table, peers }: NacosState, instance: Instance): string => {
  table.remove(instance)
  peers.publish({ instance, isRemoved: true }, true)
  return 'ok'
}

const refresh = ({ table, peers, now }: NacosState, instance: Instance): object => {
  const isKnown = table.has(instance)
  if (isKnown) {
    table.put(instance, now())
    peers.publish({ instance, isRemoved: false }, false)
  }
  return toBeatAnswer(isKnown)
}

/** The parameters `index` and `wait` replace the push by which the original notifies clients. */
const listInstances = async (
  { changes, table, now }: NacosState,
  request: IncomingRequest,
): Promise<OutgoingAnswer> => {
  const parameters = parametersOf(request)
  const service = serviceOf(parameters)
  if (!service) return toBadRequest("Param 'serviceName' is required.")
  const index = Number(parameters.index ?? 0)
  if (index > 0) await changes.wait(service, index, Math.min(Number(parameters.wait ?? 0), MAX_WAIT_MS))
  const includesUnhealthy = parameters.healthyOnly !== 'true'
  const instances = table.list(service).filter(({ healthy }) => includesUnhealthy || healthy)
  return ok(toInstanceList(service, instances, now()), { 'x-nacos-index': String(changes.index(service)) })
}

/** Applies the updates of a peer. */
const receiveUpdates = ({ table, now }: NacosState, batch: unknown): OutgoingAnswer => {
  if (!Array.isArray(batch)) return toBadRequest('the body is not a list')
  for (const { instance, isRemoved } of batch as readonly InstanceUpdate[])
    if (isRemoved) table.remove(instance)
    else table.put(instance, now())
  return ok('ok')
}

type Route = (request: IncomingRequest) => OutgoingAnswer | Promise<OutgoingAnswer>

/** Routes by method and path. */
export const createNacosRoutes = (state: NacosState): Readonly<Record<string, Route>> => ({
  [`POST ${NAMING}/instance`]: (request) => withInstance(request, (instance) => register(state, instance)),
  [`DELETE ${NAMING}/instance`]: (request) =>
    withInstance(request, (instance) => deregister(state, instance)),
  [`PUT ${NAMING}/instance/beat`]: (request) => withInstance(request, (instance) => refresh(state, instance)),
  [`GET ${NAMING}/instance/list`]: (request) => listInstances(state, request),
  [`GET ${NAMING}/service/list`]: ({ query }) =>
    ok(toServiceList(state.table.names(), Number(query.pageNo ?? 1), Number(query.pageSize ?? 100))),
  [`GET ${PEER_PATH}`]: () => ok(state.table.all()),
  [`POST ${PEER_PATH}`]: ({ body }) => receiveUpdates(state, body),
  'GET /nacos/v1/console/health/liveness': () => ok('OK'),
  'GET /nacos/v1/console/health/readiness': () => ok('OK'),
})
