/** Watches: the changes of a kind as one selection of its objects sees them. */
import { ApiError, type KubeObject } from '../meta/index.ts'
import type { Core } from '../resources/index.ts'
import type { Change } from '../store/index.ts'
import type { ApiCall } from './api-call.ts'
import { checkNotFuture, readWatchOptions, type WatchOptions } from './list-options.ts'
import { type ObjectMatcher, objectSelector } from './object-selector.ts'

export type WatchFrame =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: KubeObject }
  | { type: 'BOOKMARK'; resourceVersion: string; initialEventsEnd: boolean }
  | { type: 'ERROR'; error: ApiError }

export interface WatchSink {
  frame(frame: WatchFrame): void
  /** The watch is over; nothing follows. */
  end(): void
}

/** How often a quiet watch is told where it stands. */
const BOOKMARK_INTERVAL = 60_000
/** Watches end by themselves between half an hour and an hour, in seconds, as on a real server. */
const SHORTEST_LIFE = 1800
/** What timers can still hold. */
const LONGEST_LIFE = 2_000_000

/** What a change is to somebody who sees only matching objects. */
const frameOf = (change: Change, matches: ObjectMatcher): WatchFrame | undefined => {
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

const startsWithState = ({ resourceVersion, sendInitialEvents }: WatchOptions): boolean =>
  sendInitialEvents ?? (resourceVersion === undefined || resourceVersion === 0)

/** Ends a watch at its time and, for those who ask, says now and then where it stands. */
const keepTime = (core: Core, { bookmarks, timeout }: WatchOptions, sink: WatchSink, stop: () => void) => {
  const { clock, store } = core
  const bookmark = (): void => {
    if (bookmarks)
      sink.frame({ type: 'BOOKMARK', resourceVersion: String(store.version), initialEventsEnd: false })
  }
  const tick = (): void => {
    bookmark()
    ticking = clock.after(BOOKMARK_INTERVAL, tick)
  }
  let ticking = bookmarks ? clock.after(BOOKMARK_INTERVAL, tick) : undefined
  const life = timeout > 0 ? Math.min(timeout, LONGEST_LIFE) : SHORTEST_LIFE + (store.version % SHORTEST_LIFE)
  const ending = clock.after(life * 1000, () => {
    bookmark()
    stop()
    sink.end()
  })
  return () => {
    ticking?.cancel()
    ending.cancel()
  }
}

/** Begins a watch; the function it gives ends it. Refusals are thrown before the first frame. */
export const watchChanges = (core: Core, call: ApiCall, sink: WatchSink): (() => void) => {
  const { store } = core
  const { id } = call.served.kind
  const options = readWatchOptions(call.query)
  const selects = objectSelector(call.served, call.query, call.name)
  const matches: ObjectMatcher = (object) =>
    (call.namespace === '' || object.metadata.namespace === call.namespace) && selects(object)
  const from = options.resourceVersion ?? 0
  if (options.sendInitialEvents === true) checkNotFuture(from, store.version)

  const tell = (change: Change): void => {
    // A client may wait for a version that is still to come: it hears only of what follows.
    if (change.version <= from) return
    const frame = frameOf(change, matches)
    if (frame !== undefined) sink.frame(frame)
  }
  if (startsWithState(options)) {
    for (const object of store.list(id, call.namespace === '' ? undefined : call.namespace)) {
      if (selects(object)) sink.frame({ type: 'ADDED', object })
    }
    if (options.sendInitialEvents === true && options.bookmarks)
      sink.frame({ type: 'BOOKMARK', resourceVersion: String(store.version), initialEventsEnd: true })
  } else if (from > 0) {
    const changes = store.since(id, from)
    if (changes === undefined) {
      const why = `too old resource version: ${from} (${store.oldest(id)})`
      sink.frame({ type: 'ERROR', error: new ApiError(410, 'Expired', why) })
      sink.end()
      return () => {}
    }
    for (const change of changes) tell(change)
  }

  const stopListening = store.watch(id, tell)
  const stop = (): void => {
    stopListening()
    stopTime()
  }
  const stopTime = keepTime(core, options, sink, stop)
  return stop
}
