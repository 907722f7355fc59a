/** Collects the Kubernetes events about a system and the nodes. */
import { defined } from '#kit'
import { type ApiObject, type ClusterEvent, viewAs } from '#spec'
import type { PodIndex } from './pod-index.ts'
import { type WatchContext, watchWithRetry } from './watch-with-retry.ts'

const MAX_MESSAGE_CHARACTERS = 4096

/** Returns the first valid time. Event fields are untrusted: any client can write them. */
const toTime = (...texts: unknown[]): number =>
  texts.map((text) => (typeof text === 'string' ? Date.parse(text) : Number.NaN)).find(Number.isFinite) ?? 0

const toText = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, MAX_MESSAGE_CHARACTERS) : ''

export const toClusterEvent = (object: ApiObject, pods: Pick<PodIndex, 'serviceOf'>): ClusterEvent => {
  const { involvedObject, series, type, reason, message, count, ...event } = viewAs('Event', object)
  const [kind, namespace, name] = [involvedObject?.kind, involvedObject?.namespace, involvedObject?.name].map(
    toText,
  ) as [string, string, string]
  const service = pods.serviceOf(kind, namespace, name)
  const created = event.metadata.creationTimestamp
  return {
    time: toTime(series?.lastObservedTime, event.lastTimestamp, event.eventTime, created),
    type: type === 'Warning' ? 'Warning' : 'Normal',
    reason: toText(reason),
    object: `${kind}/${name}`,
    ...defined({ service }),
    message: toText(message),
    count: Number(series?.count ?? count) || 1,
  }
}

/** Collects the events of the namespace, and those about nodes. */
export const collectEvents = (
  context: WatchContext,
  { namespace, pods }: { namespace: string; pods: PodIndex },
  onEvents: (events: readonly ClusterEvent[]) => void,
): Promise<() => void> => {
  /** Resource versions of reported events, by uid: a restarted watch repeats them. */
  const reported = new Map<string, string>()
  return watchWithRetry(context, { apiVersion: 'v1', plural: 'events' }, ({ type, object }) => {
    const { involvedObject, metadata } = viewAs('Event', object)
    const { uid = '', resourceVersion = '' } = metadata
    if (type === 'DELETED') {
      reported.delete(uid)
      return
    }
    if (involvedObject?.namespace !== namespace && involvedObject?.kind !== 'Node') return
    if (reported.get(uid) === resourceVersion) return
    reported.set(uid, resourceVersion)
    onEvents([toClusterEvent(object, pods)])
  })
}
