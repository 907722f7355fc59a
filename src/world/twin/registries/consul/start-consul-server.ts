/** A Consul agent in development mode: keeps registrations in memory and supports blocking queries. */
import type { IncomingRequest, ListeningServer, OutgoingAnswer, RequestHandler } from '#world/twin/ports'
import { createChanges } from '../changes.ts'
import { decodeName } from '../decode-name.ts'
import type { RegistryHost } from '../registry-host.ts'
import type { RegistryServerOptions } from '../registry-protocol.ts'
import { parseWait } from './consul-duration.ts'
import { type ConsulService, toCatalogEntry, toHealthEntry } from './consul-entries.ts'

type RouteHandler = (request: IncomingRequest, name: string) => OutgoingAnswer | Promise<OutgoingAnswer>

/** Routes by `GET /path/*`, where the star is a name. */
type Routes = Readonly<Record<string, RouteHandler>>

/** The body of a registration; without a check the service is always healthy. */
interface Registration {
  readonly ID?: string
  readonly Name?: string
  readonly Address?: string
  readonly Port?: number
  readonly Tags?: readonly string[]
}

const ok = (body: unknown, headers?: Record<string, string>): OutgoingAnswer => ({
  status: 200,
  body,
  ...(headers ? { headers } : {}),
})

/** Parses JSON of any content type: curl, the documented client, sends it as a form. */
const parseRegistration = (bytes: Buffer | undefined): Registration | undefined => {
  try {
    return JSON.parse(bytes?.toString() || '{}') as Registration
  } catch {
    return undefined
  }
}

/** Returns the matching route, and the name in the path. */
const findRoute = (
  routes: Routes,
  { method, path }: IncomingRequest,
): readonly [string, string] | undefined => {
  const requestLine = `${method} ${path}`
  if (requestLine in routes) return [requestLine, '']
  const nameStart = requestLine.lastIndexOf('/') + 1
  const route = `${requestLine.slice(0, nameStart)}*`
  return route in routes ? [route, decodeName(requestLine.slice(nameStart))] : undefined
}

export const startConsulServer = async (
  host: RegistryHost,
  { port, fails, log, onCommand }: RegistryServerOptions,
): Promise<ListeningServer> => {
  const services = new Map<string, ConsulService>()
  const changes = createChanges(host)

  const register = ({ raw }: IncomingRequest): OutgoingAnswer => {
    const registration = parseRegistration(raw?.body)
    if (!registration) return { status: 400, body: 'Request decode failed: the body is not JSON' }
    if (!registration.Name) return { status: 400, body: 'Missing service name' }
    const id = registration.ID ?? registration.Name
    services.set(id, {
      id,
      name: registration.Name,
      address: registration.Address ?? '',
      port: registration.Port ?? 0,
      tags: registration.Tags ?? [],
    })
    log('info', `agent: Synced service: service=${id}`)
    changes.record(registration.Name)
    return ok('')
  }

  const deregister = (_: IncomingRequest, id: string): OutgoingAnswer => {
    const service = services.get(id)
    if (!service) return { status: 404, body: `Unknown service ID "${id}"` }
    services.delete(id)
    log('info', `agent: Deregistered service: service=${id}`)
    changes.record(service.name)
    return ok('')
  }

  const findByName = (name: string): ConsulService[] =>
    [...services.values()].filter((service) => service.name === name)

  /** Waits for the next change if the client passes the current index. */
  const createListRoute =
    (toEntry: (service: ConsulService) => object): RouteHandler =>
    async ({ query }, name) => {
      const index = Number(query.index ?? 0)
      if (index > 0) await changes.wait(name, index, parseWait(query.wait))
      return ok(findByName(name).map(toEntry), { 'x-consul-index': String(changes.index(name)) })
    }

  const routes: Routes = {
    'PUT /v1/agent/service/register': register,
    'PUT /v1/agent/service/deregister/*': deregister,
    'GET /v1/health/service/*': createListRoute(toHealthEntry),
    'GET /v1/catalog/service/*': createListRoute(toCatalogEntry),
    'GET /v1/catalog/services': () =>
      ok({ consul: [], ...Object.fromEntries([...services.values()].map(({ name, tags }) => [name, tags])) }),
    'GET /v1/agent/services': () =>
      ok(Object.fromEntries([...services].map(([id, service]) => [id, toHealthEntry(service).Service]))),
    'GET /v1/status/leader': () => ok('"127.0.0.1:8300"', { 'content-type': 'application/json' }),
  }

  const handler: RequestHandler = async (request) => {
    const startedAt = host.time.monotonic()
    const [route, name] = findRoute(routes, request) ?? []
    if (route === undefined) return { status: 404, body: '' }
    const answer =
      fails?.(route) === true ? { status: 500, body: 'internal error' } : await routes[route]!(request, name!)
    onCommand(route, host.time.monotonic() - startedAt, answer.status < 400 ? undefined : 'refused')
    return answer
  }

  const start = await host.protocols.serviceServer('http')
  const server = await start({ port, handler })
  log('info', '==> Consul agent running!')
  return {
    port: server.port,
    close: (graceMs) => {
      changes.close()
      return server.close(graceMs)
    },
  }
}
