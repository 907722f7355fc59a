/** Watches: the changes of a kind as one selection of its objects sees them. */
import { ApiError, badRequest, type KubeObject } from '../meta/index.ts'
import type { Core } from '../resources/index.ts'
import type { Change } from '../store/index.ts'
import { type ApiCall, isTrue } from './api-call.ts'
import { checkNotFuture, type ObjectMatcher, selectorOf } from './list-objects.ts'

export type WatchFrame =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: KubeObject }
  | { type: 'BOOKMARK'; resourceVersion: string; initialEventsEnd: boolean }
  | { type: 'ERROR'; error: ApiError }

/** How often a quiet watch is told where it stands. */
const BOOKMARK_INTERVAL = 60_000
/** Watches end by themselves between half an hour and an hour, as on a real server. */
const SHORTEST_LIFE = 1800

/** What a change is to somebody who sees only matching objects. */
const frameOf = (change: Change, matches: ObjectMatcher): WatchFrame | undefined => {
  const before = change.old !== undefined && matches(change.old)
  const after = change.type !== 'DELETED' && matches(change.object)
  if (change.type === 'DELETED') return before ? { type: 'DELETED', object: change.object } : undefined
  if (before && after) return { type: 'MODIFIED', object: change.object }
  if (after) return { type: 'ADDED', object: change.object }
  if (!before) return undefined
  const { resourceVersion } = change.object.metadata
  return {
    type: 'DELETED',
    object: { ...change.old!, metadata: { ...change.old!.metadata, resourceVersion } },
  }
}

const readVersion = (query: URLSearchParams): number | undefined => {
  const text = query.get('resourceVersion') ?? ''
  if (text === '') return undefined
  if (!/^\d+$/.test(text)) {
    throw badRequest(
      `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    )
  }
  return Number(text)
}

export interface WatchSink {
  frame(frame: WatchFrame): void
  /** The watch is over; nothing follows. */
  end(): void
}

/** Begins a watch; the function it gives ends it. */
export const watchChanges = (core: Core, call: ApiCall, sink: WatchSink): (() => void) => {
  const { store, clock } = core
  const { id } = call.served.kind
  const inNamespace = (object: KubeObject): boolean =>
    call.namespace === '' || object.metadata.namespace === call.namespace
  const selects = selectorOf(call.served, call.query, call.name)
  const matches: ObjectMatcher = (object) => inNamespace(object) && selects(object)
  const from = readVersion(call.query)
  const sendInitial = isTrue(call.query.get('sendInitialEvents'))
  const bookmarks = isTrue(call.query.get('allowWatchBookmarks'))
  if (from !== undefined) checkNotFuture(from, store.version)

  if (from === undefined || from === 0 || sendInitial) {
    for (const object of store.list(id, call.namespace === '' ? undefined : call.namespace)) {
      if (selects(object)) sink.frame({ type: 'ADDED', object })
    }
    if (sendInitial && bookmarks)
      sink.frame({ type: 'BOOKMARK', resourceVersion: String(store.version), initialEventsEnd: true })
  } else {
    const changes = store.since(id, from)
    if (changes === undefined) {
      const oldest = `too old resource version: ${from} (${store.version})`
      sink.frame({ type: 'ERROR', error: new ApiError(410, 'Expired', oldest) })
      sink.end()
      return () => {}
    }
    for (const change of changes) {
      const frame = frameOf(change, matches)
      if (frame !== undefined) sink.frame(frame)
    }
  }

  const stopListening = store.watch(id, (change) => {
    const frame = frameOf(change, matches)
    if (frame !== undefined) sink.frame(frame)
  })
  const bookmark = (): void =>
    sink.frame({ type: 'BOOKMARK', resourceVersion: String(store.version), initialEventsEnd: false })
  let bookmarkTimer = clock.after(BOOKMARK_INTERVAL, tick)
  function tick(): void {
    if (bookmarks) bookmark()
    bookmarkTimer = clock.after(BOOKMARK_INTERVAL, tick)
  }
  const asked = Number(call.query.get('timeoutSeconds') ?? 0)
  const life = asked > 0 ? asked : SHORTEST_LIFE + core.random.below(SHORTEST_LIFE)
  const end = clock.after(life * 1000, () => {
    if (bookmarks) bookmark()
    stop()
    sink.end()
  })
  const stop = (): void => {
    stopListening()
    bookmarkTimer.cancel()
    end.cancel()
  }
  return stop
}
