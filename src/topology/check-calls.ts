/** Proves that everybody who is called is there, and serves what is asked. */
import { nearestName, type YamlPath } from '../kit/index.ts'
import type { Behaviour, QueryStep, ServiceTopology, Wire } from '../spec/index.ts'
import { type CallSite, callSitesOf } from './call-sites.ts'
import { isServedBy, parametersOf, pathProblem } from './routes.ts'

/** Notes a mistake at a place of the service. */
export type Tell = (path: YamlPath, text: string) => void
type Services = Readonly<Record<string, ServiceTopology>>

/** The words of a query, and the store that understands them. */
const QUERY_WIRES: Readonly<Record<string, Wire>> = {
  sql: 'mysql',
  redis: 'redis',
  memcached: 'memcached',
  mongo: 'mongodb',
  publish: 'amqp',
}
/** Those that answer calls; all others are stores and registries. */
export const SERVICE_WIRES: readonly Wire[] = ['http', 'grpc', 'thrift']
const REGISTRY_WIRES: readonly Wire[] = ['nacos', 'consul']

export const guess = (given: string, names: readonly string[]): string => {
  const meant = nearestName(given, names)
  return meant === undefined ? '' : `; did you mean "${meant}"?`
}

const findService = (
  name: string,
  services: Services,
  path: YamlPath,
  tell: Tell,
): ServiceTopology | undefined => {
  if (Object.hasOwn(services, name)) return services[name]
  tell(path, `names "${name}", which is no service${guess(name, Object.keys(services))}`)
  return undefined
}

const checkPath = ({ step, operation, path }: CallSite, tell: Tell): void => {
  if (!('call' in step)) return
  const problem = pathProblem(operation)
  if (problem !== undefined) tell([...path, 'call'], problem)
  const wanted = parametersOf(operation)
  const given = Object.keys(step.path ?? {})
  for (const name of wanted)
    if (!given.includes(name)) tell([...path, 'call'], `needs a value for {${name}} in "path"`)
  for (const name of given)
    if (!wanted.includes(name)) tell([...path, 'path', name], `has no place {${name}} in "${step.call}"`)
}

/** What is wrong with the call, if anything is. */
const callProblem = (
  to: string,
  operation: string,
  { wire, endpoints = {} }: Behaviour,
): string | undefined => {
  if (!SERVICE_WIRES.includes(wire)) return `calls "${to}", which speaks ${wire}: use "query"`
  if (wire === 'http' && !operation.includes(' ')) return `needs a method and a path, for "${to}" speaks http`
  if (wire !== 'http' && operation.includes(' ')) return `needs a bare method, for "${to}" speaks ${wire}`
  const served = Object.keys(endpoints)
  if (served.some((endpoint) => isServedBy(operation, endpoint))) return undefined
  return `asks "${to}" for ${operation}, which it does not serve${guess(operation, served)}`
}

const checkCall = (site: CallSite, { behaviour }: ServiceTopology, tell: Tell): void => {
  const problem = callProblem(site.to, site.operation, behaviour)
  if (problem === undefined) checkPath(site, tell)
  else tell([...site.path, 'call'], problem)
}

const checkQuery = (step: QueryStep, { behaviour }: ServiceTopology, path: YamlPath, tell: Tell): void => {
  const word = Object.keys(QUERY_WIRES).find((key) => Object.hasOwn(step, key)) ?? ''
  if (QUERY_WIRES[word] !== behaviour.wire)
    tell([...path, word], `does not fit "${step.query}", which speaks ${behaviour.wire}`)
  if (step.sql === undefined) return
  const places = step.sql.replace(/'[^']*'/g, '').split('?').length - 1
  const values = step.with?.length ?? 0
  if (places !== values) tell([...path, 'sql'], `has ${places} places "?", and "with" has ${values} values`)
}

const checkSite = (site: CallSite, behaviour: Behaviour, services: Services, tell: Tell): void => {
  const { step, to, path } = site
  const word = 'call' in step ? 'call' : 'proxy' in step ? 'proxy' : 'query'
  const called = findService(to, services, [...path, word], tell)
  if (called === undefined) return
  if (behaviour.upstreams?.[to]?.dead === true)
    tell([...path, word], `calls "${to}", which "upstreams" says is dead`)
  if ('call' in step) checkCall(site, called, tell)
  if ('query' in step) checkQuery(step, called, path, tell)
  if ('proxy' in step && called.behaviour.wire !== 'http')
    tell([...path, word], `needs a service that speaks http, and "${to}" speaks ${called.behaviour.wire}`)
}

/** `said` is the behaviour as it was written: what follows from calls is not told a second time. */
export const checkCalls = (said: Behaviour, services: Services, tell: Tell): void => {
  for (const site of callSitesOf(said)) checkSite(site, said, services, tell)
  const expectWire = (name: string, path: YamlPath, wires: readonly Wire[]): void => {
    const found = findService(name, services, path, tell)
    if (found !== undefined && !wires.includes(found.behaviour.wire))
      tell(
        path,
        `needs a service that speaks ${wires.join(' or ')}, and "${name}" speaks ${found.behaviour.wire}`,
      )
  }
  for (const [name, { registry }] of Object.entries(said.upstreams ?? {})) {
    findService(name, services, ['upstreams', name], tell)
    if (registry !== undefined) expectWire(registry, ['upstreams', name, 'registry'], REGISTRY_WIRES)
  }
  if (said.register !== undefined) expectWire(said.register.in, ['register', 'in'], REGISTRY_WIRES)
  for (const [queue, { from }] of Object.entries(said.consumes ?? {}))
    expectWire(from, ['consumes', queue, 'from'], ['amqp'])
}
