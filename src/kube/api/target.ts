/** What a request addresses, as authorisation and audit see it. */
import { parseFieldSelector } from '../meta/index.ts'
import type { ApiCall, Verb } from './api-call.ts'

export interface Target {
  group: string
  version: string
  plural: string
  subresource: string
  namespace: string
  name: string
}

/** Lists and watches of one object by name count as requests for that object. */
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

/** Fills in what a path leaves unsaid: a namespace lies in itself, and a selector may name an object. */
export const toTarget = (place: Target, verb: Verb | undefined, query: URLSearchParams): Target => {
  const { group, version, plural, subresource } = place
  const name = place.name === '' && (verb === 'list' || verb === 'watch') ? selectedName(query) : place.name
  const namespace = group === '' && plural === 'namespaces' ? place.name : place.namespace
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
