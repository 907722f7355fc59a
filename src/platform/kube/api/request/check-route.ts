/** Checks that a verb is served at a path: 404 if the path does not exist, 405 if the verb is not allowed. */
import { methodNotAllowed, noSuchResource } from '#platform/kube/meta'
import { subresourcesOf } from '../discovery/surface.ts'
import type { ApiCall, Verb } from './api-call.ts'

const COLLECTION_VERBS: ReadonlySet<Verb> = new Set(['list', 'watch', 'create', 'deletecollection'])
const OBJECT_VERBS: ReadonlySet<Verb> = new Set(['get', 'watch', 'update', 'patch', 'delete'])
const ALL_NAMESPACES_VERBS: ReadonlySet<Verb> = new Set(['list', 'watch'])

const allowedVerbs = ({ namespace, name, served }: ApiCall): ReadonlySet<Verb> => {
  if (name !== '') return OBJECT_VERBS
  return served.kind.namespaced && namespace === '' ? ALL_NAMESPACES_VERBS : COLLECTION_VERBS
}

/** Throws NotFound or MethodNotAllowed. */
export const checkRoute = (call: ApiCall): void => {
  const { namespace, name, subresource, verb } = call
  const { kind } = call.served
  if (kind.namespaced ? namespace === '' && name !== '' : namespace !== '') throw noSuchResource()
  if (subresource === '') {
    if (!allowedVerbs(call).has(verb) || kind.verbs?.includes(verb) === false) throw methodNotAllowed()
    return
  }
  const found = subresourcesOf(kind).find((candidate) => candidate.name === subresource)
  if (found === undefined || name === '') throw noSuchResource()
  if (!found.verbs.includes(verb)) throw methodNotAllowed()
}
