/** Checks that every called service exists and serves the operation. */
import { findNearestName, type YamlPath } from '#kit'
import type { Behaviour, Protocol, QueryStep, ServiceTopology } from '#spec'
import { type CallSite, callSitesOf } from './call-sites.ts'
import { isServedBy, parametersOf, pathProblem } from './routes.ts'

/** Reports a mistake at a path of the service. */
export type ReportMistake = (path: YamlPath, text: string) => void
type Services = Readonly<Record<string, ServiceTopology>>

/** The command fields of a query, and the protocol of each. */
const QUERY_PROTOCOLS: Readonly<Record<string, Protocol>> = {
  sql: 'mysql',
  redis: 'redis',
  memcached: 'memcached',
  mongo: 'mongodb',
  publish: 'amqp',
}
/** The protocols of services; all others are those of stores and registries. */
export const SERVICE_PROTOCOLS: readonly Protocol[] = ['http', 'grpc', 'thrift']
const REGISTRY_PROTOCOLS: readonly Protocol[] = ['nacos', 'consul']

/** Returns the end of an error message; empty if no name is similar. */
export const suggest = (name: string, names: readonly string[]): string => {
  const nearest = findNearestName(name, names)
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`
}

const findService = (
  name: string,
  services: Services,
  path: YamlPath,
  report: ReportMistake,
): ServiceTopology | undefined => {
  if (Object.hasOwn(services, name)) return services[name]
  report(path, `names "${name}", which is not a service${suggest(name, Object.keys(services))}`)
  return undefined
}

const checkPath = ({ step, operation, path }: CallSite, report: ReportMistake): void => {
  if (!('call' in step)) return
  const problem = pathProblem(operation)
  if (problem !== undefined) report([...path, 'call'], problem)
  const placeholders = parametersOf(operation)
  const provided = Object.keys(step.path ?? {})
  for (const name of placeholders)
    if (!provided.includes(name)) report([...path, 'call'], `needs a value for {${name}} in "path"`)
  for (const name of provided)
    if (!placeholders.includes(name))
      report([...path, 'path', name], `has no placeholder {${name}} in "${step.call}"`)
}

/** Describes a mistake in a call; undefined if there is none. */
const callProblem = (
  to: string,
  operation: string,
  { protocol, endpoints = {} }: Behaviour,
): string | undefined => {
  if (!SERVICE_PROTOCOLS.includes(protocol)) return `calls "${to}", which speaks ${protocol}: use "query"`
  if (protocol === 'http' && !operation.includes(' '))
    return `needs a method and a path, because "${to}" speaks http`
  if (protocol !== 'http' && operation.includes(' '))
    return `needs a method name, because "${to}" speaks ${protocol}`
  const served = Object.keys(endpoints)
  if (served.some((endpoint) => isServedBy(operation, endpoint))) return undefined
  return `calls ${operation}, which "${to}" does not serve${suggest(operation, served)}`
}

const checkCall = (site: CallSite, { behaviour }: ServiceTopology, report: ReportMistake): void => {
  const problem = callProblem(site.to, site.operation, behaviour)
  if (problem === undefined) checkPath(site, report)
  else report([...site.path, 'call'], problem)
}

const checkQuery = (
  step: QueryStep,
  { behaviour }: ServiceTopology,
  path: YamlPath,
  report: ReportMistake,
): void => {
  const field = Object.keys(QUERY_PROTOCOLS).find((key) => Object.hasOwn(step, key)) ?? ''
  if (QUERY_PROTOCOLS[field] !== behaviour.protocol)
    report([...path, field], `is not a command of "${step.query}", which speaks ${behaviour.protocol}`)
  if (step.sql === undefined) return
  const placeholderCount = step.sql.replace(/'[^']*'/g, '').split('?').length - 1
  const valueCount = step.with?.length ?? 0
  if (placeholderCount !== valueCount)
    report([...path, 'sql'], `has ${placeholderCount} placeholders "?", but "with" has ${valueCount} values`)
}

const checkSite = (site: CallSite, behaviour: Behaviour, services: Services, report: ReportMistake): void => {
  const { step, to, path } = site
  const field = 'call' in step ? 'call' : 'proxy' in step ? 'proxy' : 'query'
  const called = findService(to, services, [...path, field], report)
  if (called === undefined) return
  if (behaviour.upstreams?.[to]?.dead === true)
    report([...path, field], `calls "${to}", which "upstreams" declares dead`)
  if ('call' in step) checkCall(site, called, report)
  if ('query' in step) checkQuery(step, called, path, report)
  if ('proxy' in step && called.behaviour.protocol !== 'http')
    report(
      [...path, field],
      `needs a service that speaks http, but "${to}" speaks ${called.behaviour.protocol}`,
    )
}

/** `declared` lacks the defaults, so that mistakes in derived upstreams are not reported twice. */
export const checkCalls = (declared: Behaviour, services: Services, report: ReportMistake): void => {
  for (const site of callSitesOf(declared)) checkSite(site, declared, services, report)
  const expectProtocol = (name: string, path: YamlPath, protocols: readonly Protocol[]): void => {
    const found = findService(name, services, path, report)
    if (found !== undefined && !protocols.includes(found.behaviour.protocol))
      report(
        path,
        `needs a service that speaks ${protocols.join(' or ')}, but "${name}" speaks ${found.behaviour.protocol}`,
      )
  }
  for (const [name, { registry }] of Object.entries(declared.upstreams ?? {})) {
    findService(name, services, ['upstreams', name], report)
    if (registry !== undefined) expectProtocol(registry, ['upstreams', name, 'registry'], REGISTRY_PROTOCOLS)
  }
  if (declared.register !== undefined)
    expectProtocol(declared.register.in, ['register', 'in'], REGISTRY_PROTOCOLS)
  for (const [queue, { from }] of Object.entries(declared.consumes ?? {}))
    expectProtocol(from, ['consumes', queue, 'from'], ['amqp'])
}
