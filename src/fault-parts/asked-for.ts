/** What the usual journeys cannot do without: endpoints that every walk asks for, however far behind the entry, and calls. */
import type { Edge, Endpoint, Step, SystemView, Topology } from '../spec/index.ts'

interface Asked {
  /** `service endpoint` */
  readonly endpoints: Set<string>
  /** `service request`: one endpoint sends many on. */
  readonly requests: Set<string>
  /** `caller called` */
  readonly calls: Set<string>
}

const WILD = /\{[^}]+\}/g

/** `GET /a/{id}` as a pattern of requests; `ANY` and `{rest...}` match whatever there is. */
const toPattern = (endpoint: string): RegExp => {
  const [method = '', path = ''] = endpoint.split(' ')
  const parts = path
    .replaceAll('.', '\\.')
    .replaceAll(WILD, (wild) => (wild.includes('\\.') ? '.*' : '[^/]+'))
  return new RegExp(`^${method === 'ANY' ? '\\w+' : method} ${parts}/?$`)
}

const wildness = (endpoint: string): number =>
  (endpoint.match(WILD)?.length ?? 0) * 2 + (endpoint.includes('...') ? 1 : 0)

/** The one with the fewest wild parts, as routers choose. */
const routeOf = (endpoints: Readonly<Record<string, Endpoint>>, request: string): string | undefined =>
  Object.keys(endpoints)
    .filter((endpoint) => endpoint === request || toPattern(endpoint).test(request))
    .sort((one, other) => wildness(one) - wildness(other))[0]

/** Steps that are always taken, and whose failure is the endpoint's. */
export const isCertain = (step: Step): boolean =>
  (step as { when?: unknown }).when === undefined && (step as { critical?: boolean }).critical !== false

const ask = (topology: Topology, asked: Asked, service: string, request: string): void => {
  const { endpoints = {} } = topology.services[service]?.behaviour ?? {}
  const endpoint = routeOf(endpoints, request)
  if (endpoint === undefined || asked.requests.has(`${service} ${request}`)) return
  asked.requests.add(`${service} ${request}`)
  asked.endpoints.add(`${service} ${endpoint}`)
  follow({ topology, asked, service, request }, endpoints[endpoint]!.steps ?? [])
}

interface Way {
  readonly topology: Topology
  readonly asked: Asked
  /** Who takes the steps, and for which request. */
  readonly service: string
  readonly request: string
}

/** Whom a step itself turns to. */
export const calledBy = (step: Step): string | undefined => {
  const said = 'proxy' in step ? step.proxy : 'query' in step ? step.query : 'call' in step ? step.call : ''
  return said.split(' ')[0] || undefined
}

/** The steps inside of one. */
export const innerSteps = (step: Step): readonly Step[] =>
  'parallel' in step ? step.parallel : 'do' in step ? step.do : []

const follow = (way: Way, steps: readonly Step[]): void => {
  const { topology, asked, service, request } = way
  for (const step of steps.filter(isCertain)) {
    follow(way, innerSteps(step))
    const called = calledBy(step)
    if (called !== undefined) asked.calls.add(`${service} ${called}`)
    if ('proxy' in step && step.target === undefined) ask(topology, asked, step.proxy, request)
    else if ('call' in step) ask(topology, asked, called!, step.call.slice(step.call.indexOf(' ') + 1))
    if ('return' in step || 'fail' in step) return
  }
}

/** Whom nobody calls but those who do nothing for users. */
const isEntry = (system: SystemView, service: string): boolean =>
  system.callersOf(service).every((caller) => system.impactOf(caller).down.length === 0)

const requestsOf = ({ journeys }: SystemView): string[] =>
  journeys.flatMap(({ steps }) =>
    steps
      .filter((step) => (step as { when?: unknown }).when === undefined)
      .map(({ request }) => request.replaceAll(/\$\{[^}]*\}/g, 'x').replace(/\?.*$/, '')),
  )

/** Asked for once for every service of a system. */
const known = new WeakMap<SystemView, Asked>()

const askedIn = (system: SystemView, topology: Topology): Asked => {
  const before = known.get(system)
  if (before !== undefined) return before
  const asked: Asked = { endpoints: new Set(), requests: new Set(), calls: new Set() }
  const entries = Object.keys(topology.services).filter((service) => isEntry(system, service))
  for (const request of requestsOf(system)) for (const entry of entries) ask(topology, asked, entry, request)
  known.set(system, asked)
  return asked
}

/** Whether every walk of some journey asks for this endpoint of the service. */
export const isAskedFor = (system: SystemView, service: string, endpoint: string): boolean =>
  system.topology !== undefined && askedIn(system, system.topology).endpoints.has(`${service} ${endpoint}`)

/** Those endpoints of the service that every walk of some journey asks for. */
export const askedEndpoints = (system: SystemView, service: string): readonly Endpoint[] =>
  Object.entries(system.topology?.services[service]?.behaviour.endpoints ?? {})
    .filter(([name]) => isAskedFor(system, service, name))
    .map(([, endpoint]) => endpoint)

/** Whether one service turns to another in every walk of some journey, and fails with it; it does where nobody knows. */
export const isCalledFor = (system: SystemView, { from, to }: Edge): boolean =>
  system.topology === undefined || askedIn(system, system.topology).calls.has(`${from} ${to}`)
