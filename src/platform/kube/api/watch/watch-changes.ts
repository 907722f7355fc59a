/** Watches: delivers the changes of the selected objects of a kind. */
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

/** The interval of bookmarks. */
const BOOKMARK_INTERVAL_MS = 60_000
/** Without a timeout, a watch ends after half an hour to an hour, as on a real server. */
const MIN_WATCH_SECONDS = 1800
/** The longest timeout: close to the limit of timers. */
export const MAX_WATCH_SECONDS = 2_000_000

/** The event for a watch that only includes matching objects. */
const toFrame = (change: Change, matches: ObjectMatcher): WatchFrame | undefined => {
  const before = change.old !== undefined && matches(change.old)
  if (change.type === 'DELETED') return before ? { type: 'DELETED', object: change.object } : undefined
  const after = matches(change.object)
  if (after) return { type: before ? 'MODIFIED' : 'ADDED', object: change.object }
  if (!before) return undefined
  const { resourceVersion } = change.object.metadata
  return {
    type: 'DELETED',
    object: { ...change.old!, metadata: { ...change.old!.metadata, resourceVersion } },
  }
}

const sendsInitialEvents = ({ resourceVersion, sendInitialEvents }: WatchOptions): boolean =>
  sendInitialEvents ?? (resourceVersion === undefined || resourceVersion === 0)

/** Ends a watch after its timeout and sends bookmarks if requested; returns a function that cancels both. */
const scheduleEnd = (core: Core, { bookmarks, timeout }: WatchOptions, sink: WatchSink, stop: () => void) => {
  const { clock, store } = core
  const bookmark = (): void => {
    if (bookmarks)
      sink.frame({ type: 'BOOKMARK', resourceVersion: String(store.version), initialEventsEnd: false })
  }
  const tick = (): void => {
    bookmark()
    ticking = clock.after(BOOKMARK_INTERVAL_MS, tick)
  }
  let ticking = bookmarks ? clock.after(BOOKMARK_INTERVAL_MS, tick) : undefined
  const lifetimeSeconds =
    timeout > 0
      ? Math.min(timeout, MAX_WATCH_SECONDS)
      : MIN_WATCH_SECONDS + (store.version % MIN_WATCH_SECONDS)
  const ending = clock.after(lifetimeSeconds * 1000, () => {
    bookmark()
    stop()
    sink.end()
  })
  return () => {
    ticking?.cancel()
    ending.cancel()
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
  const from = options.resourceVersion ?? 0
  if (options.sendInitialEvents === true) checkNotFuture(from, store.version)

  const deliver = (change: Change): void => {
    // `from` may be a future version.
    if (change.version <= from) return
    const frame = toFrame(change, matches)
    if (frame !== undefined) sink.frame(frame)
  }
  if (sendsInitialEvents(options)) {
    for (const object of store.list(id, call.namespace === '' ? undefined : call.namespace)) {
      if (selects(object)) sink.frame({ type: 'ADDED', object })
    }
    if (options.sendInitialEvents === true && options.bookmarks)
      sink.frame({ type: 'BOOKMARK', resourceVersion: String(store.version), initialEventsEnd: true })
  } else if (from > 0) {
    const changes = store.since(id, from)
    if (changes === undefined) {
      const detail = `too old resource version: ${from} (${store.oldest(id)})`
      sink.frame({ type: 'ERROR', error: new ApiError(410, 'Expired', detail) })
      sink.end()
      return () => {}
    }
    for (const change of changes) deliver(change)
  }

  const stopListening = store.watch(id, deliver)
  const stop = (): void => {
    stopListening()
    cancelEnd()
  }
  const cancelEnd = scheduleEnd(core, options, sink, stop)
  return stop
}
