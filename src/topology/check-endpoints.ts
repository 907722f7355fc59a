/** Proves that the keys of endpoints are of the right form, and that no two take each other's requests. */
import type { Behaviour } from '../spec/index.ts'
import { guess, type Tell } from './check-calls.ts'
import type { ParsedDeploy } from './deploy-schema.ts'
import { shapeOf } from './routes.ts'

const ROUTE = /^(?:ANY|GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \/\S*$/
const METHOD = /^[A-Za-z_]\w*$/

export const checkEndpoints = ({ wire, endpoints = {} }: Behaviour, tell: Tell): void => {
  const taken = new Map<string, string>()
  for (const key of Object.keys(endpoints)) {
    if (wire === 'http' && !ROUTE.test(key))
      tell(['endpoints', key], 'must be a method and a path: "GET /orders/{id}"')
    else if ((wire === 'grpc' || wire === 'thrift') && !METHOD.test(key))
      tell(['endpoints', key], 'must be a bare method: "GetCart"')
    const shape = wire === 'http' ? shapeOf(key) : key
    const earlier = taken.get(shape)
    if (earlier !== undefined) tell(['endpoints', key], `takes the same requests as "${earlier}"`)
    taken.set(shape, key)
  }
}

/** Defects that name an endpoint must name one that is there. */
export const checkReleases = (
  { endpoints = {} }: Behaviour,
  { releases = {} }: ParsedDeploy,
  tell: Tell,
): void => {
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
