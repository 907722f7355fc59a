/** Delivers the changes of the objects that a watch selects. */
import { ApiError, type KubeObject } from '#platform/kube/meta'
import type { Core } from '#platform/kube/resources'
import type { Change } from '#platform/kube/store'
import type { ApiCall } from '../request/api-call.ts'
import { checkNotFuture, readWatchOptions, type WatchOptions } from '../request/list-options.ts'
import { type ObjectMatcher, objectSelector } from '../request/object-selector.ts'

export type WatchFrame =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: KubeObject }
  | { type: 'BOOKMARK'; resourceVersion: string; initialEventsEnd: boolean }
  | { type: 'ERROR'; error: ApiError }

export interface WatchSink {
  frame(frame: WatchFrame): void
  /** The watch has ended; no frame follows. */
  end(): void
}

const BOOKMARK_INTERVAL_MS = 60_000
/** Without a timeout, a watch ends after half an hour to an hour, as on a real server. */
const MIN_DEFAULT_SECONDS = 1800
/** The longest timeout: close to the limit of timers in Node.js. */
export const MAX_WATCH_SECONDS = 2_000_000

/** The event that a watch of the matching objects receives, if any. */
const toFrame = (change: Change, matches: ObjectMatcher): WatchFrame | undefined => {
  const matchedBefore = change.old !== undefined && matches(change.old)
  if (change.type === 'DELETED') return matchedBefore ? { type: 'DELETED', object: change.object } : undefined
  if (matches(change.object)) return { type: matchedBefore ? 'MODIFIED' : 'ADDED', object: change.object }
  if (!matchedBefore) return undefined
  const { resourceVersion } = change.object.metadata
  return {
    type: 'DELETED',
    object: { ...change.old!, metadata: { ...change.old!.metadata, resourceVersion } },
  }
}

const sendsInitialEvents = ({ resourceVersion, sendInitialEvents }: WatchOptions): boolean =>
  sendInitialEvents ?? (resourceVersion === undefined || resourceVersion === 0)

/** Ends a watch after its timeout and sends bookmarks if requested; returns a function that cancels both. */
const startTimers = (core: Core, { bookmarks, timeout }: WatchOptions, sink: WatchSink, stop: () => void) => {
  const { clock, store } = core
  const sendBookmark = (): void => {
    if (bookmarks)
      sink.frame({ type: 'BOOKMARK', resourceVersion: String(store.version), initialEventsEnd: false })
  }
  const sendAndRepeat = (): void => {
    sendBookmark()
    bookmarkTimer = clock.after(BOOKMARK_INTERVAL_MS, sendAndRepeat)
  }
  let bookmarkTimer = bookmarks ? clock.after(BOOKMARK_INTERVAL_MS, sendAndRepeat) : undefined
  const lifetimeSeconds =
    timeout > 0
      ? Math.min(timeout, MAX_WATCH_SECONDS)
      : MIN_DEFAULT_SECONDS + (store.version % MIN_DEFAULT_SECONDS)
  const endTimer = clock.after(lifetimeSeconds * 1000, () => {
    sendBookmark()
    stop()
    sink.end()
  })
  return () => {
    bookmarkTimer?.cancel()
    endTimer.cancel()
  }
}

/** Starts a watch; returns a function to stop it. Throws before the first frame if an option is invalid. */
export const watchChanges = (core: Core, call: ApiCall, sink: WatchSink): (() => void) => {
  const { store } = core
  const { id } = call.served.kind
  const options = readWatchOptions(call.query, call.served.kind)
  const selects = objectSelector(call.served, call.query, call.name)
  const matches: ObjectMatcher = (object) =>
    (call.namespace === '' || object.metadata.namespace === call.namespace) && selects(object)
  const fromVersion = options.resourceVersion ?? 0
  if (options.sendInitialEvents === true) checkNotFuture(fromVersion, store.version)

  const deliver = (change: Change): void => {
    // `fromVersion` may be a future version.
    if (change.version <= fromVersion) return
    const frame = toFrame(change, matches)
    if (frame !== undefined) sink.frame(frame)
  }
  if (sendsInitialEvents(options)) {
    for (const object of store.list(id, call.namespace === '' ? undefined : call.namespace)) {
      if (selects(object)) sink.frame({ type: 'ADDED', object })
    }
    if (options.sendInitialEvents === true && options.bookmarks)
      sink.frame({ type: 'BOOKMARK', resourceVersion: String(store.version), initialEventsEnd: true })
  } else if (fromVersion > 0) {
    const changes = store.since(id, fromVersion)
    if (changes === undefined) {
      const detail = `too old resource version: ${fromVersion} (${store.oldest(id)})`
      sink.frame({ type: 'ERROR', error: new ApiError(410, 'Expired', detail) })
      sink.end()
      return () => {}
    }
    for (const change of changes) deliver(change)
  }

  const stopListening = store.watch(id, deliver)
  const stop = (): void => {
    stopListening()
    cancelTimers()
  }
  const cancelTimers = startTimers(core, options, sink, stop)
  return stop
}
