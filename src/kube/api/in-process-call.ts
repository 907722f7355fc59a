/** A request made inside the process: the call that it is, and the address that it would have over HTTP. */
import { cloneJson } from '../../kit/index.ts'
import type { ResourceRef } from '../../spec/index.ts'
import { noSuchResource } from '../meta/index.ts'
import type { User } from '../ports/index.ts'
import type { ApiCall, PatchType, Verb } from './api-call.ts'
import type { ApiService } from './api-service.ts'

type Value = string | number | boolean | readonly string[] | undefined

export type Query = Readonly<Record<string, Value>>

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
    for (const one of Array.isArray(value) ? value : [value]) parameters.append(key, String(one))
  }
  return parameters
}

/** The body is copied here, once for all: what the caller does with his own later is his affair. */
export const inProcessCall = (
  { core }: ApiService,
  user: User,
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
    ...(patchType === undefined ? {} : { patchType }),
  }
}

export const requestUriOf = ({ served, namespace, name, subresource, query }: ApiCall): string => {
  const root = served.group === '' ? 'api' : 'apis'
  const scope = namespace === '' ? [] : ['namespaces', namespace]
  const place = [...scope, served.kind.plural, name, subresource].filter((part) => part !== '')
  const path = `/${root}/${served.apiVersion}/${place.map(encodeURIComponent).join('/')}`
  return query.size === 0 ? path : `${path}?${query}`
}
