/** Finds the endpoint of a request: the most particular path that fits. */

export interface Route {
  /** The key of the endpoint: `GET /orders/{id}`. */
  readonly endpoint: string
  readonly params: Readonly<Record<string, string>>
}

export type Routing = Route | 'unknown-path' | 'wrong-method'

interface Pattern {
  readonly endpoint: string
  readonly method: string
  readonly parts: readonly string[]
}

const split = (path: string): string[] => path.split('/').filter((part) => part !== '')

const isRest = (part: string | undefined): boolean => part?.endsWith('...}') === true
const isParameter = (part: string): boolean => part.startsWith('{')

/** Fixed parts come before parameters, and those before what takes all the rest. */
const rank = (part: string | undefined): number => {
  if (part === undefined) return 2
  if (isRest(part)) return 3
  return isParameter(part) ? 1 : 0
}

const compare = (one: Pattern, other: Pattern): number => {
  const length = Math.max(one.parts.length, other.parts.length)
  for (let place = 0; place < length; place += 1) {
    const difference = rank(one.parts[place]) - rank(other.parts[place])
    if (difference !== 0) return difference
  }
  return Number(one.method === 'ANY') - Number(other.method === 'ANY')
}

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const match = ({ parts }: Pattern, path: readonly string[]): Record<string, string> | undefined => {
  const params: Record<string, string> = {}
  for (const [place, part] of parts.entries()) {
    if (isRest(part)) {
      params[part.slice(1, -4)] = path.slice(place).map(decode).join('/')
      return params
    }
    const given = path[place]
    if (given === undefined) return undefined
    if (isParameter(part)) params[part.slice(1, -1)] = decode(given)
    else if (part !== given) return undefined
  }
  return parts.length === path.length ? params : undefined
}

const accepts = (wanted: string, method: string): boolean =>
  wanted === 'ANY' || wanted === method || (method === 'HEAD' && wanted === 'GET')

/** Of endpoints that are named `METHOD /path/{name}`. */
export const createRouter = (endpoints: readonly string[]): ((method: string, path: string) => Routing) => {
  const patterns = endpoints
    .map((endpoint): Pattern => {
      const [method = '', path = ''] = endpoint.split(' ')
      return { endpoint, method, parts: split(path) }
    })
    .sort(compare)
  return (method, path) => {
    const parts = split(path)
    let known = false
    for (const pattern of patterns) {
      const params = match(pattern, parts)
      if (params === undefined) continue
      if (accepts(pattern.method, method)) return { endpoint: pattern.endpoint, params }
      known = true
    }
    return known ? 'wrong-method' : 'unknown-path'
  }
}
