/** What services answer to, and whether a call fits it. */

const partsOf = (path: string): string[] =>
  (path.split('?')[0] ?? '').split('/').filter((part) => part !== '')

const isParameter = (part: string): boolean => part.startsWith('{') && part.endsWith('}')
const isRest = (part: string): boolean => part.endsWith('...}')

/** Two routes with the same shape would take each other's requests. */
export const shapeOf = (route: string): string => {
  const [method = '', path = ''] = route.split(' ')
  const parts = partsOf(path).map((part) => (isRest(part) ? '{...}' : isParameter(part) ? '{}' : part))
  return `${method} /${parts.join('/')}`
}

/** What is wrong with the braces of a path, if anything is. */
export const pathProblem = (path: string): string | undefined => {
  const parts = partsOf(path)
  const broken = parts.find((part) => /[{}]/.test(part) && !/^\{\w+(?:\.\.\.)?\}$/.test(part))
  if (broken !== undefined) return `has "${broken}", which is neither text nor {name}`
  if (parts.slice(0, -1).some(isRest)) return 'can have {name...} only at its end'
  const names = parametersOf(path)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined ? undefined : `has {${twice}} twice`
}

/** The names in braces of a path. */
export const parametersOf = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)(?:\.\.\.)?\}/g)].map(([, name]) => name ?? '')

const fits = (asked: readonly string[], served: readonly string[]): boolean => {
  for (const [index, part] of served.entries()) {
    if (isRest(part)) return true
    const given = asked[index]
    if (given === undefined) return false
    if (!isParameter(part) && part !== given) return false
  }
  return asked.length === served.length
}

/** Whether a call `POST /order/{id}` or `GetCart` reaches the endpoint of this key. */
export const isServedBy = (operation: string, endpoint: string): boolean => {
  if (!operation.includes(' ')) return operation === endpoint
  const [method, path = ''] = operation.split(' ')
  const [served, pattern = ''] = endpoint.split(' ')
  return (served === 'ANY' || served === method) && fits(partsOf(path), partsOf(pattern))
}
