/** Finds the endpoint of a request: the most specific path that matches. */

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
  /** Whether the last part is a rest parameter. */
  readonly hasRest: boolean
}

const splitPath = (path: string): string[] => path.split('/').filter((part) => part !== '')

const isRest = (part: string | undefined): boolean => part?.endsWith('...}') === true
const isParameter = (part: string): boolean => part.startsWith('{')

/** Literal parts rank first, then parameters, then the end of the path, then a rest parameter. */
const rank = (part: string | undefined): number => {
  if (part === undefined) return 2
  if (isRest(part)) return 3
  return isParameter(part) ? 1 : 0
}

const compareSpecificity = (a: Pattern, b: Pattern): number => {
  const length = Math.max(a.parts.length, b.parts.length)
  for (let index = 0; index < length; index += 1) {
    const difference = rank(a.parts[index]) - rank(b.parts[index])
    if (difference !== 0) return difference
  }
  return Number(a.method === 'ANY') - Number(b.method === 'ANY')
}

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Most patterns do not match, so this creates nothing. */
const isMatch = ({ parts, hasRest }: Pattern, path: readonly string[]): boolean => {
  if (hasRest ? path.length < parts.length - 1 : path.length !== parts.length) return false
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index]!
    if (part !== path[index] && !isParameter(part)) return false
  }
  return true
}

const readParams = ({ parts }: Pattern, path: readonly string[]): Record<string, string> => {
  const params: Record<string, string> = {}
  for (const [index, part] of parts.entries())
    if (isRest(part)) params[part.slice(1, -4)] = path.slice(index).map(decode).join('/')
    else if (isParameter(part)) params[part.slice(1, -1)] = decode(path[index]!)
  return params
}

const acceptsMethod = (declaredMethod: string, method: string): boolean =>
  declaredMethod === 'ANY' || declaredMethod === method || (method === 'HEAD' && declaredMethod === 'GET')

/** The names of endpoints are `METHOD /path/{name}`. */
export const createRouter = (endpoints: readonly string[]): ((method: string, path: string) => Routing) => {
  const patterns = endpoints
    .map((endpoint): Pattern => {
      const [method = '', path = ''] = endpoint.split(' ')
      const parts = splitPath(path)
      return { endpoint, method, parts, hasRest: isRest(parts.at(-1)) }
    })
    .sort(compareSpecificity)
  return (method, path) => {
    const parts = splitPath(path)
    let isKnownPath = false
    for (const pattern of patterns) {
      if (!isMatch(pattern, parts)) continue
      if (acceptsMethod(pattern.method, method))
        return { endpoint: pattern.endpoint, params: readParams(pattern, parts) }
      isKnownPath = true
    }
    return isKnownPath ? 'wrong-method' : 'unknown-path'
  }
}
