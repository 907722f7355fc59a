/** Checks the endpoints of a service, and the endpoints that the defects of its releases name. */
import type { Behaviour } from '#spec'
import { type ReportMistake, SERVICE_PROTOCOLS, suggest } from './check-calls.ts'
import type { ParsedDeploy } from './deploy-schema.ts'
import { pathProblem, shapeOf } from './routes.ts'

const ROUTE = /^(?:ANY|GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \/\S*$/
const METHOD = /^[A-Za-z_]\w*$/

const routeProblem = (key: string): string | undefined =>
  ROUTE.test(key) ? pathProblem(key) : 'must be a method and a path: "GET /orders/{id}"'

const methodProblem = (key: string): string | undefined =>
  METHOD.test(key) ? undefined : 'must be a method name: "GetCart"'

export const checkEndpoints = ({ protocol, endpoints = {} }: Behaviour, report: ReportMistake): void => {
  if (!SERVICE_PROTOCOLS.includes(protocol)) {
    if (Object.keys(endpoints).length > 0) report(['endpoints'], `cannot be served by ${protocol}`)
    return
  }
  const seen = new Map<string, string>()
  for (const key of Object.keys(endpoints)) {
    const problem = protocol === 'http' ? routeProblem(key) : methodProblem(key)
    if (problem !== undefined) report(['endpoints', key], problem)
    const shape = protocol === 'http' ? shapeOf(key) : key
    const earlier = seen.get(shape)
    if (earlier !== undefined) report(['endpoints', key], `matches the same requests as "${earlier}"`)
    seen.set(shape, key)
  }
}

/** A defect of a service can name only an existing endpoint; a defect of a data store names a command. */
export const checkReleases = (
  { protocol, endpoints = {} }: Behaviour,
  { releases = {} }: ParsedDeploy,
  report: ReportMistake,
): void => {
  if (!SERVICE_PROTOCOLS.includes(protocol)) return
  for (const [tag, { defects = [] }] of Object.entries(releases)) {
    for (const [index, defect] of defects.entries()) {
      const endpoint = defect.kind === 'failing-endpoint' ? defect.endpoint : undefined
      if (endpoint !== undefined && !Object.hasOwn(endpoints, endpoint))
        report(
          ['deploy', 'releases', tag, 'defects', index, 'endpoint'],
          `names "${endpoint}", which is not an endpoint${suggest(endpoint, Object.keys(endpoints))}`,
        )
    }
  }
}
