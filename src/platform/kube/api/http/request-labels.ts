/** The metric labels of a request. Unknown names are left out: clients could create unlimited series with them. */
import type { IncomingMessage } from 'node:http'
import type { ApiService } from '../api-service.ts'
import { subresourcesOf } from '../discovery/surface.ts'
import { isStream, type Verb } from '../request/api-call.ts'
import type { ResourcePath } from '../request/parse-path.ts'
import { requestVerb } from '../request/request-verb.ts'
import { checkDryRun } from '../request/write-options.ts'
import type { RequestLabels } from './server-metrics.ts'

const METRIC_VERBS: Readonly<Record<Verb, string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
}

const verbOf = (
  { method = '', headers }: IncomingMessage,
  path: ResourcePath,
  query: URLSearchParams,
): string => {
  if (isStream(path.group, path.plural, path.subresource)) return 'CONNECT'
  if (method === 'PATCH' && headers['content-type']?.startsWith('application/apply-patch')) return 'APPLY'
  const verb = requestVerb(method, path, query)
  return verb === undefined ? 'other' : METRIC_VERBS[verb]
}

const scopeOf = ({ name, namespace }: ResourcePath, verb: string): string => {
  if (name !== '' || verb === 'POST') return 'resource'
  return namespace === '' ? 'cluster' : 'namespace'
}

const dryRunOf = (query: URLSearchParams): string => {
  const values = query.getAll('dryRun').filter((value) => value !== '')
  if (checkDryRun(values).length > 0) return 'invalid'
  return values.length === 0 ? '' : 'All'
}

export const requestLabels = (
  { core, virtual }: ApiService,
  request: IncomingMessage,
  path: ResourcePath,
  query: URLSearchParams,
): RequestLabels => {
  const { group, version, plural, subresource } = path
  const served = core.directory.find(group, version, plural)
  const isKnown =
    served !== undefined ||
    virtual.some(
      (resource) => resource.group === group && resource.version === version && resource.plural === plural,
    )
  const subresourceNames = served === undefined ? [] : subresourcesOf(served.kind).map(({ name }) => name)
  const verb = verbOf(request, path, query)
  return {
    dryRun: dryRunOf(query),
    group: isKnown ? group : '',
    resource: isKnown ? plural : '',
    scope: scopeOf(path, verb),
    subresource: subresourceNames.includes(subresource) ? subresource : '',
    verb,
    version: isKnown ? version : '',
  }
}
