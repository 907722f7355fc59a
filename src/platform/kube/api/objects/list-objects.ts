/** Lists objects with selectors, consistent pages and resource versions. */
import { defined } from '#kit'
import { events } from '#platform/kube/kinds'
import { badRequest, expired, type KubeObject } from '#platform/kube/meta'
import type { Served } from '#platform/kube/resources'
import type { Store } from '#platform/kube/store'
import { checkNotFuture, type ListOptions, readListOptions } from '../request/list-options.ts'
import { objectSelector } from '../request/object-selector.ts'
import { ExpiredPage, parseContinueToken, toContinueToken } from './continue-token.ts'

export interface ObjectList {
  items: readonly KubeObject[]
  resourceVersion: string
  continue?: string
  remaining?: number
}

const keyOf = (object: KubeObject): string => `${object.metadata.namespace ?? ''}/${object.metadata.name}`

/** The version at which a page is read, and the key before its first object. */
interface Start {
  version: number
  after: string
}

const continuedStart = (store: Store, { continue: token, resourceVersion }: ListOptions): Start => {
  if (resourceVersion !== undefined && resourceVersion > 0)
    throw badRequest('specifying resource version is not allowed when using continue')
  const { version, after } = parseContinueToken(token, store.version)
  return { version: version < 0 ? store.version : version, after }
}

const firstStart = (store: Store, { resourceVersion, exact }: ListOptions): Start => {
  if (resourceVersion !== undefined) checkNotFuture(resourceVersion, store.version)
  return { version: exact && resourceVersion !== undefined ? resourceVersion : store.version, after: '' }
}

/**
 * A real server answers resourceVersion=0 from its watch cache, which ignores the limit. Events have no watch cache.
 */
const limitOf = (served: Served, { limit, continue: token, resourceVersion }: ListOptions): number => {
  const isCached = resourceVersion === 0 && token === '' && served.kind.id !== events.id
  return limit === 0 || isCached ? Number.POSITIVE_INFINITY : limit
}

const tooOldError = (after: string): Error =>
  after === '' ? expired('The resourceVersion for the provided list is too old.') : new ExpiredPage(after)

export const listObjects = (
  store: Store,
  served: Served,
  namespace: string,
  query: URLSearchParams,
): ObjectList => {
  const options = readListOptions(query)
  const isFiltered = Boolean(query.get('labelSelector') || query.get('fieldSelector'))
  const matches = objectSelector(served, query)
  const { version, after } =
    options.continue === '' ? firstStart(store, options) : continuedStart(store, options)
  const page = store.page(served.kind.id, {
    version,
    namespace: namespace === '' ? undefined : namespace,
    after,
    limit: limitOf(served, options),
    matches: isFiltered ? matches : undefined,
  })
  if (page === undefined) throw tooOldError(after)
  return {
    items: page.items.map((object) => served.toServed(object)),
    resourceVersion: String(version),
    ...(page.more ? { continue: toContinueToken({ version, after: keyOf(page.items.at(-1)!) }) } : {}),
    ...defined({ remaining: page.remaining }),
  }
}
