/** Records events in the events.k8s.io style, as the scheduler does: one object per series, with an action. */
import type { Event } from 'kubernetes-types/core/v1.d.ts'
import { events } from '#platform/kube/kinds'
import { ApiError, type KubeObject, type Stored, toMicroTime } from '#platform/kube/meta'
import type { EventRecorder } from '#platform/kube/ports'
import type { EventContent, RecorderOptions } from './event-recorder.ts'
import { setLru } from './set-lru.ts'

/** A series ends after this time without events; the next event starts a new one. */
const SERIES_END_MS = 360_000

/** The action of an event, by reason. */
const ACTIONS: Readonly<Record<string, string>> = {
  Scheduled: 'Binding',
  FailedScheduling: 'Scheduling',
  Preempted: 'Preempting',
}

interface Series {
  namespace: string
  name: string
  lastEventAt: number
}

export const createSeriesRecorder = ({
  client,
  clock,
  component,
  uniqueSuffix,
}: RecorderOptions): EventRecorder => {
  const seriesByKey = new Map<string, Series>()

  const continueSeries = (key: string): boolean => {
    const series = seriesByKey.get(key)
    if (series === undefined || clock.now() - series.lastEventAt > SERIES_END_MS) return false
    const event = client.get(events, series.namespace, series.name)
    if (event === undefined) return false
    const count = (event.series?.count ?? 1) + 1
    const lastObservedTime = toMicroTime(clock.now())
    client.update(events, { ...event, series: { count, lastObservedTime } } as Stored<Event>)
    setLru(seriesByKey, key, { ...series, lastEventAt: clock.now() })
    return true
  }

  const startSeries = (
    key: string,
    { object, type, reason, message }: Omit<EventContent, 'fieldPath'>,
  ): void => {
    const namespace = object.metadata.namespace ?? 'default'
    const { name, uid, resourceVersion } = object.metadata
    const created = client.create(events, {
      metadata: { name: `${name}.${uniqueSuffix()}`, namespace },
      involvedObject: {
        kind: object.kind,
        namespace,
        name,
        uid,
        apiVersion: object.apiVersion,
        resourceVersion,
      },
      reason,
      message,
      source: {},
      type,
      eventTime: toMicroTime(clock.now()),
      action: ACTIONS[reason] ?? reason,
      reportingComponent: component,
      reportingInstance: `${component}-remedium`,
    } as Event as never)
    setLru(seriesByKey, key, { namespace, name: created.metadata.name, lastEventAt: clock.now() })
  }

  return {
    record(subject, type, reason, message) {
      const object = subject as KubeObject
      const key = [object.metadata.uid, object.metadata.resourceVersion, type, reason, message].join('|')
      try {
        if (!continueSeries(key)) startSeries(key, { object, type, reason, message: message.slice(0, 1024) })
      } catch (error) {
        // Events are best effort: a terminating namespace, for example, rejects them.
        if (!(error instanceof ApiError)) throw error
      }
    },
  }
}
