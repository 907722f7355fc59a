/** The target of a request, for authorisation and audit. */
import { parseFieldSelector } from '#platform/kube/meta'
import type { ApiCall, Verb } from './api-call.ts'

export interface Target {
  group: string
  version: string
  plural: string
  subresource: string
  namespace: string
  name: string
}

/** A list or watch that selects one object by name is authorised as a request for that object. */
const selectedName = (query: URLSearchParams): string => {
  try {
    const exact = parseFieldSelector(query.get('fieldSelector') ?? '').find(
      ({ field, equal }) => field === 'metadata.name' && equal,
    )
    return exact === undefined || /[/%]|^\.\.?$/.test(exact.value) ? '' : exact.value
  } catch {
    return ''
  }
}

/** Completes a path: a Namespace is in the namespace of its own name, and a field selector may name the object. */
export const toTarget = (path: Target, verb: Verb | undefined, query: URLSearchParams): Target => {
  const { group, version, plural, subresource } = path
  const name = path.name === '' && (verb === 'list' || verb === 'watch') ? selectedName(query) : path.name
  const namespace = group === '' && plural === 'namespaces' ? path.name : path.namespace
  return { group, version, plural, subresource, namespace, name }
}

export const targetOf = ({ served, subresource, namespace, name, verb, query }: ApiCall): Target =>
  toTarget(
    {
      group: served.group,
      version: served.version,
      plural: served.kind.plural,
      subresource,
      namespace,
      name,
    },
    verb,
    query,
  )
