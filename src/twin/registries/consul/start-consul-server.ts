/** A Consul agent in development mode: keeps in memory who registered, and answers with blocking queries. */
import type { IncomingRequest, OutgoingAnswer, RequestHandler } from '../../ports/index.ts'
import { loadServiceServer } from '../../wires/index.ts'
import { createChanges } from '../changes.ts'
import { decodeName } from '../decode-name.ts'
import type { StartRegistryServer } from '../registry-wire.ts'
import { parseWait } from './consul-duration.ts'
import { type ConsulService, toCatalogEntry, toHealthEntry } from './consul-entries.ts'

type Answer = (request: IncomingRequest, name: string) => OutgoingAnswer | Promise<OutgoingAnswer>

/** `GET /path/*`, where the star is a name. */
type Routes = Readonly<Record<string, Answer>>

/** What a client says of itself; without a check nobody ever doubts it. */
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

/** Whatever the content type: the documented way to register is curl, which calls it a form. */
const parseRegistration = (bytes: Buffer | undefined): Registration | undefined => {
  try {
    return JSON.parse(bytes?.toString() || '{}') as Registration
  } catch {
    return undefined
  }
}

/** The route that matches, by its name, and the name in the path. */
const findRoute = (
  routes: Routes,
  { method, path }: IncomingRequest,
): readonly [string, string] | undefined => {
  const asked = `${method} ${path}`
  if (asked in routes) return [asked, '']
  const cut = asked.lastIndexOf('/') + 1
  const route = `${asked.slice(0, cut)}*`
  return route in routes ? [route, decodeName(asked.slice(cut))] : undefined
}

export const startConsulServer: StartRegistryServer = async ({ port, fails, log, onCommand }) => {
  const services = new Map<string, ConsulService>()
  const changes = createChanges()

  const register = ({ raw }: IncomingRequest): OutgoingAnswer => {
    const registration = parseRegistration(raw?.body)
    if (!registration) return { status: 400, body: 'Request decode failed: the body is no JSON' }
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
    changes.changed(registration.Name)
    return ok('')
  }

  const deregister = (_: IncomingRequest, id: string): OutgoingAnswer => {
    const service = services.get(id)
    if (!service) return { status: 404, body: `Unknown service ID "${id}"` }
    services.delete(id)
    log('info', `agent: Deregistered service: service=${id}`)
    changes.changed(service.name)
    return ok('')
  }

  const named = (name: string): ConsulService[] =>
    [...services.values()].filter((service) => service.name === name)

  /** Waits where the asker says what it knows already. */
  const listed =
    (toEntry: (service: ConsulService) => object): Answer =>
    async ({ query }, name) => {
      const index = Number(query.index ?? 0)
      if (index > 0) await changes.wait(name, index, parseWait(query.wait))
      return ok(named(name).map(toEntry), { 'x-consul-index': String(changes.index(name)) })
    }

  const routes: Routes = {
    'PUT /v1/agent/service/register': register,
    'PUT /v1/agent/service/deregister/*': deregister,
    'GET /v1/health/service/*': listed(toHealthEntry),
    'GET /v1/catalog/service/*': listed(toCatalogEntry),
    'GET /v1/catalog/services': () =>
      ok({ consul: [], ...Object.fromEntries([...services.values()].map(({ name, tags }) => [name, tags])) }),
    'GET /v1/agent/services': () =>
      ok(Object.fromEntries([...services].map(([id, service]) => [id, toHealthEntry(service).Service]))),
    'GET /v1/status/leader': () => ok('"127.0.0.1:8300"', { 'content-type': 'application/json' }),
  }

  const handler: RequestHandler = async (request) => {
    const began = performance.now()
    const [route, name] = findRoute(routes, request) ?? []
    if (route === undefined) return { status: 404, body: '' }
    const answer =
      fails?.(route) === true ? { status: 500, body: 'internal error' } : await routes[route]!(request, name!)
    onCommand(route, performance.now() - began, answer.status < 400 ? undefined : 'refused')
    return answer
  }

  const server = await (await loadServiceServer('http'))({ port, handler })
  log('info', '==> Consul agent running!')
  return {
    port: server.port,
    close: (graceMs) => {
      changes.close()
      return server.close(graceMs)
    },
  }
}
