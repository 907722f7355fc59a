/** From the method of a request to the verb that authorisation and the kinds know. */
import { type ApiCall, isTrue, type Verb } from './api-call.ts'
import type { ResourcePath } from './parse-path.ts'

/** Undefined for methods that mean nothing to the API. HEAD counts as a read but is answered nowhere. */
export const requestVerb = (
  method: string,
  path: ResourcePath,
  query: ApiCall['query'],
): Verb | undefined => {
  const named = path.name !== ''
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (path.watch) return 'watch'
      if (named) return 'get'
      return isTrue(query.get('watch')) ? 'watch' : 'list'
    case 'POST':
      return 'create'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return named ? 'delete' : 'deletecollection'
    default:
      return undefined
  }
}
