/** Lists: selectors, pages that agree with each other, and resource versions. */
import { badRequest, expired, type KubeObject } from '../meta/index.ts'
import type { Served } from '../resources/index.ts'
import type { Store } from '../store/index.ts'
import { ExpiredPage, parseContinueToken, toContinueToken } from './continue-token.ts'
import { checkNotFuture, type ListOptions, readListOptions } from './list-options.ts'
import { objectSelector } from './object-selector.ts'

export interface ObjectList {
  items: readonly KubeObject[]
  resourceVersion: string
  continue?: string
  remaining?: number
}

const keyOf = (object: KubeObject): string => `${object.metadata.namespace ?? ''}/${object.metadata.name}`

/** The objects among which a page is chosen, as of which version, and after which key. */
interface Stock {
  objects: readonly KubeObject[]
  version: number
  after: string
}

type Reader = (version: number) => KubeObject[] | undefined

const nextStock = (store: Store, { continue: token, resourceVersion }: ListOptions, read: Reader): Stock => {
  if (resourceVersion !== undefined && resourceVersion > 0)
    throw badRequest('specifying resource version is not allowed when using continue')
  const position = parseContinueToken(token, store.version)
  const version = position.version < 0 ? store.version : position.version
  const objects = read(version)
  if (objects === undefined) throw new ExpiredPage(position.after)
  return { objects, version, after: position.after }
}

const firstStock = (store: Store, { resourceVersion, exact }: ListOptions, read: Reader): Stock => {
  if (resourceVersion !== undefined) checkNotFuture(resourceVersion, store.version)
  const version = exact && resourceVersion !== undefined ? resourceVersion : store.version
  const objects = read(version)
  if (objects === undefined) throw expired('The resourceVersion for the provided list is too old.')
  return { objects, version, after: '' }
}

export const listObjects = (
  store: Store,
  served: Served,
  namespace: string,
  query: URLSearchParams,
): ObjectList => {
  const options = readListOptions(query)
  const matches = objectSelector(served, query)
  const within = namespace === '' ? undefined : namespace
  const read: Reader = (at) => store.listAt(served.kind.id, at, within)
  const { objects, version, after } =
    options.continue === '' ? firstStock(store, options, read) : nextStock(store, options, read)
  const matching = objects.filter((object) => (after === '' || keyOf(object) > after) && matches(object))
  const page = options.limit > 0 ? matching.slice(0, options.limit) : matching
  const left = matching.length - page.length
  const isFiltered = query.get('labelSelector') || query.get('fieldSelector')
  return {
    items: page.map((object) => served.toServed(object)),
    resourceVersion: String(version),
    ...(left > 0 ? { continue: toContinueToken({ version, after: keyOf(page.at(-1)!) }) } : {}),
    ...(left > 0 && !isFiltered ? { remaining: left } : {}),
  }
}
