/** Reads resources that are served but not stored, such as metrics, in process. */
import type { User } from '#platform/kube/ports'
import type { ResourceRef } from '#spec'
import type { ApiService } from '../api-service.ts'
import { type Query, toQuery } from './in-process-call.ts'

/** Returns an object or a list; undefined if there is no such resource, or it does not support the verb. */
export const readVirtual = (
  service: ApiService,
  user: User,
  verb: 'get' | 'list',
  {
    apiVersion,
    plural,
    namespace = '',
    name = '',
    query = {},
  }: ResourceRef & { name?: string; query?: Query },
): Readonly<Record<string, unknown>> | undefined => {
  const resource = service.virtual.find(
    (candidate) =>
      `${candidate.group}/${candidate.version}` === apiVersion &&
      candidate.plural === plural &&
      candidate.verbs.includes(verb),
  )
  if (resource === undefined) return undefined
  const { group, version } = resource
  service.authorize(user, verb, { group, version, plural, subresource: '', namespace, name })
  const call = { user, verb, namespace, name, query: toQuery(query), body: undefined }
  return service.callVirtual(resource, call).object as Record<string, unknown>
}
