/** Decides which endpoint of a service serves a call. */

const partsOf = (path: string): string[] =>
  (path.split('?')[0] ?? '').split('/').filter((part) => part !== '')

const isParameter = (part: string): boolean => part.startsWith('{') && part.endsWith('}')
const isRest = (part: string): boolean => part.endsWith('...}')

/** Two routes with the same shape match the same requests. */
export const shapeOf = (route: string): string => {
  const [method = '', path = ''] = route.split(' ')
  const parts = partsOf(path).map((part) => (isRest(part) ? '{...}' : isParameter(part) ? '{}' : part))
  return `${method} /${parts.join('/')}`
}

/** Describes a mistake in the braces of a path; undefined if there is none. */
export const pathProblem = (path: string): string | undefined => {
  const parts = partsOf(path)
  const invalid = parts.find((part) => /[{}]/.test(part) && !/^\{\w+(?:\.\.\.)?\}$/.test(part))
  if (invalid !== undefined) return `has "${invalid}", which is neither text nor {name}`
  if (parts.slice(0, -1).some(isRest)) return 'can have {name...} only at its end'
  const names = parametersOf(path)
  const duplicate = names.find((name, index) => names.indexOf(name) !== index)
  return duplicate === undefined ? undefined : `has {${duplicate}} twice`
}

/** The names of the parameters in a path. */
export const parametersOf = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)(?:\.\.\.)?\}/g)].map(([, name]) => name ?? '')

const matches = (requested: readonly string[], served: readonly string[]): boolean => {
  for (const [index, part] of served.entries()) {
    if (isRest(part)) return true
    const actual = requested[index]
    if (actual === undefined) return false
    if (!isParameter(part) && part !== actual) return false
  }
  return requested.length === served.length
}

/** Whether a call `POST /order/{id}` or `GetCart` reaches this endpoint. */
export const isServedBy = (operation: string, endpoint: string): boolean => {
  if (!operation.includes(' ')) return operation === endpoint
  const [method, path = ''] = operation.split(' ')
  const [served, pattern = ''] = endpoint.split(' ')
  return (served === 'ANY' || served === method) && matches(partsOf(path), partsOf(pattern))
}
