/** Proves that the keys of endpoints are of the right form, and that no two take each other's requests. */
import type { Behaviour } from '../spec/index.ts'
import { guess, SERVICE_WIRES, type Tell } from './check-calls.ts'
import type { ParsedDeploy } from './deploy-schema.ts'
import { pathProblem, shapeOf } from './routes.ts'

const ROUTE = /^(?:ANY|GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \/\S*$/
const METHOD = /^[A-Za-z_]\w*$/

const routeProblem = (key: string): string | undefined =>
  ROUTE.test(key) ? pathProblem(key) : 'must be a method and a path: "GET /orders/{id}"'

const methodProblem = (key: string): string | undefined =>
  METHOD.test(key) ? undefined : 'must be a bare method: "GetCart"'

export const checkEndpoints = ({ wire, endpoints = {} }: Behaviour, tell: Tell): void => {
  if (!SERVICE_WIRES.includes(wire)) {
    if (Object.keys(endpoints).length > 0) tell(['endpoints'], `cannot be served by ${wire}`)
    return
  }
  const taken = new Map<string, string>()
  for (const key of Object.keys(endpoints)) {
    const problem = wire === 'http' ? routeProblem(key) : methodProblem(key)
    if (problem !== undefined) tell(['endpoints', key], problem)
    const shape = wire === 'http' ? shapeOf(key) : key
    const earlier = taken.get(shape)
    if (earlier !== undefined) tell(['endpoints', key], `takes the same requests as "${earlier}"`)
    taken.set(shape, key)
  }
}

/** Defects that name an endpoint must name one that is there; those of data stores name a command. */
export const checkReleases = (
  { wire, endpoints = {} }: Behaviour,
  { releases = {} }: ParsedDeploy,
  tell: Tell,
): void => {
  if (!SERVICE_WIRES.includes(wire)) return
  for (const [tag, { defects = [] }] of Object.entries(releases)) {
    for (const [index, defect] of defects.entries()) {
      const named = defect.kind === 'failing-endpoint' ? defect.endpoint : undefined
      if (named !== undefined && !Object.hasOwn(endpoints, named))
        tell(
          ['deploy', 'releases', tag, 'defects', index, 'endpoint'],
          `names "${named}", which is no endpoint${guess(named, Object.keys(endpoints))}`,
        )
    }
  }
}
