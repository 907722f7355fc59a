/** Builds the call and the request URI of an in-process request. */
import { cloneJson, defined } from '#kit'
import { noSuchResource } from '#platform/kube/meta'
import type { User } from '#platform/kube/ports'
import type { ResourceRef } from '#spec'
import type { ApiService } from '../api-service.ts'
import type { ApiCall, PatchType, Verb } from '../request/api-call.ts'

type QueryValue = string | number | boolean | readonly string[] | undefined

export type Query = Readonly<Record<string, QueryValue>>

export interface InProcessCaller {
  service: ApiService
  user: User
}

export interface CallParts {
  query?: Query
  body?: unknown
  subresource?: string | undefined
  patchType?: PatchType
}

export const toQuery = (query: Query): URLSearchParams => {
  const parameters = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const item of Array.isArray(value) ? value : [value]) parameters.append(key, String(item))
  }
  return parameters
}

/** Builds a call. The body is copied, so that later changes by the caller have no effect. */
export const inProcessCall = (
  { service: { core }, user }: InProcessCaller,
  verb: Verb,
  ref: ResourceRef & { name?: string },
  { query = {}, body, subresource = '', patchType }: CallParts = {},
): ApiCall => {
  const [first = '', second] = ref.apiVersion.split('/')
  const served =
    second === undefined
      ? core.directory.find('', first, ref.plural)
      : core.directory.find(first, second, ref.plural)
  if (served === undefined) throw noSuchResource()
  return {
    user,
    verb,
    served,
    namespace: ref.namespace ?? '',
    name: ref.name ?? '',
    subresource,
    query: toQuery(query),
    userAgent: 'remedium',
    warnings: [],
    ...(body === undefined ? {} : { body: { value: cloneJson(body) } }),
    ...defined({ patchType }),
  }
}

export const requestUriOf = ({ served, namespace, name, subresource, query }: ApiCall): string => {
  const root = served.group === '' ? 'api' : 'apis'
  const scope = namespace === '' ? [] : ['namespaces', namespace]
  const parts = [...scope, served.kind.plural, name, subresource].filter((part) => part !== '')
  const path = `/${root}/${served.apiVersion}/${parts.map(encodeURIComponent).join('/')}`
  return query.size === 0 ? path : `${path}?${query}`
}
