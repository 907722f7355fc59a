/** Maps an HTTP method to an API verb. */
import { type ApiCall, isTrue, type Verb } from './api-call.ts'
import type { ResourcePath } from './parse-path.ts'

/** Returns undefined for unsupported methods. HEAD is authorised as a read, but no resource answers it. */
export const requestVerb = (
  method: string,
  path: ResourcePath,
  query: ApiCall['query'],
): Verb | undefined => {
  const isNamed = path.name !== ''
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (path.watch) return 'watch'
      if (isNamed) return 'get'
      return isTrue(query.get('watch')) ? 'watch' : 'list'
    case 'POST':
      return 'create'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return isNamed ? 'delete' : 'deletecollection'
    default:
      return undefined
  }
}
