/** Takes in the events of a cluster that concern a system and its nodes. */
import type { ApiObject, ClusterEvent } from '../../spec/index.ts'
import type { PodIndex } from './pod-index.ts'
import { type WatchParts, watchAlways } from './watch-always.ts'

const LONGEST_MESSAGE = 4096

/** The first that is a time. Anybody may write events, and anything in them. */
const toTime = (...texts: unknown[]): number =>
  texts.map((text) => (typeof text === 'string' ? Date.parse(text) : Number.NaN)).find(Number.isFinite) ?? 0

const toText = (value: unknown): string => (typeof value === 'string' ? value.slice(0, LONGEST_MESSAGE) : '')

export const toClusterEvent = (object: ApiObject, pods: Pick<PodIndex, 'serviceOf'>): ClusterEvent => {
  const { involvedObject, series, type, reason, message, count } = object as any
  const { lastTimestamp, eventTime, metadata } = object as any
  const { kind, namespace, name } = {
    kind: toText(involvedObject?.kind),
    namespace: toText(involvedObject?.namespace),
    name: toText(involvedObject?.name),
  }
  const service = pods.serviceOf(kind, namespace, name)
  return {
    time: toTime(series?.lastObservedTime, lastTimestamp, eventTime, metadata.creationTimestamp),
    type: type === 'Warning' ? 'Warning' : 'Normal',
    reason: toText(reason),
    object: `${kind}/${name}`,
    ...(service === undefined ? {} : { service }),
    message: toText(message),
    count: Number(series?.count ?? count) || 1,
  }
}

/** Those of the namespace, and those about nodes. */
export const collectEvents = (
  parts: WatchParts,
  { namespace, pods }: { namespace: string; pods: PodIndex },
  onEvents: (events: readonly ClusterEvent[]) => void,
): Promise<() => void> => {
  /** What was told before, by the version of its object: a watch that begins anew tells it again. */
  const told = new Map<string, string>()
  return watchAlways(parts, { apiVersion: 'v1', plural: 'events' }, ({ type, object }) => {
    const { uid, resourceVersion } = object.metadata as any
    if (type === 'DELETED') {
      told.delete(uid)
      return
    }
    const { involvedObject } = object as any
    if (involvedObject?.namespace !== namespace && involvedObject?.kind !== 'Node') return
    if (told.get(uid) === resourceVersion) return
    told.set(uid, resourceVersion)
    onEvents([toClusterEvent(object, pods)])
  })
}
