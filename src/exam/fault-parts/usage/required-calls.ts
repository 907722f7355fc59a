/** Finds endpoints and calls that every run of a journey needs, directly or through other services. */
import type { Edge, Endpoint, Step, SystemView, Topology } from '#spec'

interface RequiredCalls {
  /** Keys `service endpoint`. */
  readonly endpoints: Set<string>
  /** Keys `service request`: an endpoint may proxy many requests. */
  readonly requests: Set<string>
  /** Keys `caller callee`. */
  readonly calls: Set<string>
}

const PLACEHOLDERS = /\{[^}]+\}/g

/** Converts `GET /a/{id}` to a pattern of requests. `ANY` and `{rest...}` match anything. */
const toPattern = (endpoint: string): RegExp => {
  const [method = '', path = ''] = endpoint.split(' ')
  const parts = path
    .replaceAll('.', '\\.')
    .replaceAll(PLACEHOLDERS, (placeholder) => (placeholder.includes('\\.') ? '.*' : '[^/]+'))
  return new RegExp(`^${method === 'ANY' ? '\\w+' : method} ${parts}/?$`)
}

/** Lower for more specific endpoints. */
const wildcardWeight = (endpoint: string): number =>
  (endpoint.match(PLACEHOLDERS)?.length ?? 0) * 2 + (endpoint.includes('...') ? 1 : 0)

/** The matching endpoint with the fewest wildcards, which routers choose. */
const routeOf = (endpoints: Readonly<Record<string, Endpoint>>, request: string): string | undefined =>
  Object.keys(endpoints)
    .filter((endpoint) => endpoint === request || toPattern(endpoint).test(request))
    .sort((a, b) => wildcardWeight(a) - wildcardWeight(b))[0]

/** Whether the step is unconditional and its failure fails the endpoint. */
export const isRequiredStep = (step: Step): boolean =>
  (step as { when?: unknown }).when === undefined && (step as { critical?: boolean }).critical !== false

const visit = (topology: Topology, required: RequiredCalls, service: string, request: string): void => {
  const { endpoints = {} } = topology.services[service]?.behaviour ?? {}
  const endpoint = routeOf(endpoints, request)
  if (endpoint === undefined || required.requests.has(`${service} ${request}`)) return
  required.requests.add(`${service} ${request}`)
  required.endpoints.add(`${service} ${endpoint}`)
  follow({ topology, required, service, request }, endpoints[endpoint]!.steps ?? [])
}

interface Visit {
  readonly topology: Topology
  readonly required: RequiredCalls
  /** The service that performs the steps, and the request. */
  readonly service: string
  readonly request: string
}

/** The service that a step calls. */
export const calleeOf = (step: Step): string | undefined => {
  const call = 'proxy' in step ? step.proxy : 'query' in step ? step.query : 'call' in step ? step.call : ''
  return call.split(' ')[0] || undefined
}

/** The nested steps of a step. */
export const innerSteps = (step: Step): readonly Step[] =>
  'parallel' in step ? step.parallel : 'do' in step ? step.do : []

const follow = (from: Visit, steps: readonly Step[]): void => {
  const { topology, required, service, request } = from
  for (const step of steps.filter(isRequiredStep)) {
    follow(from, innerSteps(step))
    const callee = calleeOf(step)
    if (callee !== undefined) required.calls.add(`${service} ${callee}`)
    if ('proxy' in step && step.target === undefined) visit(topology, required, step.proxy, request)
    else if ('call' in step) visit(topology, required, callee!, step.call.slice(step.call.indexOf(' ') + 1))
    if ('return' in step || 'fail' in step) return
  }
}

/** Whether users are assumed to call the service directly: none of its callers has user impact. */
const isEntry = (system: SystemView, service: string): boolean =>
  system.callersOf(service).every((caller) => system.impactOf(caller).down.length === 0)

const requestsOf = ({ journeys }: SystemView): string[] =>
  journeys.flatMap(({ steps }) =>
    steps
      .filter((step) => (step as { when?: unknown }).when === undefined)
      .map(({ request }) => request.replaceAll(/\$\{[^}]*\}/g, 'x').replace(/\?.*$/, '')),
  )

/** The analysis of a system is reused for all its services. */
const cache = new WeakMap<SystemView, RequiredCalls>()

const requiredCallsOf = (system: SystemView, topology: Topology): RequiredCalls => {
  const cached = cache.get(system)
  if (cached !== undefined) return cached
  const required: RequiredCalls = { endpoints: new Set(), requests: new Set(), calls: new Set() }
  const entries = Object.keys(topology.services).filter((service) => isEntry(system, service))
  for (const request of requestsOf(system))
    for (const entry of entries) visit(topology, required, entry, request)
  cache.set(system, required)
  return required
}

/** Whether every run of some journey needs this endpoint of the service. */
export const isRequiredEndpoint = (system: SystemView, service: string, endpoint: string): boolean =>
  system.topology !== undefined &&
  requiredCallsOf(system, system.topology).endpoints.has(`${service} ${endpoint}`)

/** The endpoints of the service that every run of some journey needs. */
export const requiredEndpoints = (system: SystemView, service: string): readonly Endpoint[] =>
  Object.entries(system.topology?.services[service]?.behaviour.endpoints ?? {})
    .filter(([name]) => isRequiredEndpoint(system, service, name))
    .map(([, endpoint]) => endpoint)

/** Whether every run of some journey needs this call. True for systems without a topology. */
export const isRequiredCall = (system: SystemView, { from, to }: Edge): boolean =>
  system.topology === undefined || requiredCallsOf(system, system.topology).calls.has(`${from} ${to}`)
