/** Takes in the events of a cluster that concern a system and its nodes. */
import type { ApiObject, ClusterEvent } from '../../spec/index.ts'
import type { PodIndex } from './pod-index.ts'
import { type WatchParts, watchAlways } from './watch-always.ts'

const toTime = (...texts: unknown[]): number => {
  const text = texts.find((one) => typeof one === 'string')
  return text === undefined ? 0 : Date.parse(text as string)
}

export const toClusterEvent = (object: ApiObject, pods: Pick<PodIndex, 'serviceOf'>): ClusterEvent => {
  const { involvedObject = {}, series, type, reason = '', message = '', count = 1 } = object as any
  const { kind = '', namespace = '', name = '' } = involvedObject
  const { lastTimestamp, eventTime, metadata } = object as any
  const service = pods.serviceOf(kind, namespace, name)
  return {
    time: toTime(series?.lastObservedTime, lastTimestamp, eventTime, metadata.creationTimestamp),
    type: type === 'Warning' ? 'Warning' : 'Normal',
    reason,
    object: `${kind}/${name}`,
    ...(service === undefined ? {} : { service }),
    message,
    count: Number(series?.count ?? count),
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
