/** Which verbs are answered where: what is not served at all is not found, what is served otherwise not allowed. */
import { methodNotAllowed, noSuchResource } from '../meta/index.ts'
import type { ApiCall, Verb } from './api-call.ts'
import { subresourcesOf } from './surface.ts'

const ON_COLLECTIONS: ReadonlySet<Verb> = new Set(['list', 'watch', 'create', 'deletecollection'])
const ON_OBJECTS: ReadonlySet<Verb> = new Set(['get', 'watch', 'update', 'patch', 'delete'])
const ACROSS_NAMESPACES: ReadonlySet<Verb> = new Set(['list', 'watch'])

const answered = ({ namespace, name, served }: ApiCall): ReadonlySet<Verb> => {
  if (name !== '') return ON_OBJECTS
  return served.kind.namespaced && namespace === '' ? ACROSS_NAMESPACES : ON_COLLECTIONS
}

/** Throws where there is no such place, or where the verb has no meaning at it. */
export const checkRoute = (call: ApiCall): void => {
  const { namespace, name, subresource, verb } = call
  const { kind } = call.served
  if (kind.namespaced ? namespace === '' && name !== '' : namespace !== '') throw noSuchResource()
  if (subresource === '') {
    if (!answered(call).has(verb) || kind.verbs?.includes(verb) === false) throw methodNotAllowed()
    return
  }
  const part = subresourcesOf(kind).find((one) => one.name === subresource)
  if (part === undefined || name === '') throw noSuchResource()
  if (!part.verbs.includes(verb)) throw methodNotAllowed()
}
