/** Lists: selectors, pages that agree with each other, and resource versions. */
import { events } from '../kinds/index.ts'
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

/** As of which version a page is read, and after which key it begins. */
interface Start {
  version: number
  after: string
}

const nextStart = (store: Store, { continue: token, resourceVersion }: ListOptions): Start => {
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
 * Any version at all is answered from a real server's watch cache, which knows no pages: the limit counts for
 * nothing. Events alone have no such cache.
 */
const limitOf = (served: Served, { limit, continue: token, resourceVersion }: ListOptions): number => {
  const isCached = resourceVersion === 0 && token === '' && served.kind.id !== events.id
  return limit === 0 || isCached ? Number.POSITIVE_INFINITY : limit
}

const tooOld = (after: string): Error =>
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
  const { version, after } = options.continue === '' ? firstStart(store, options) : nextStart(store, options)
  const page = store.page(served.kind.id, {
    version,
    namespace: namespace === '' ? undefined : namespace,
    after,
    limit: limitOf(served, options),
    matches: isFiltered ? matches : undefined,
  })
  if (page === undefined) throw tooOld(after)
  return {
    items: page.items.map((object) => served.toServed(object)),
    resourceVersion: String(version),
    ...(page.more ? { continue: toContinueToken({ version, after: keyOf(page.items.at(-1)!) }) } : {}),
    ...(page.remaining === undefined ? {} : { remaining: page.remaining }),
  }
}
