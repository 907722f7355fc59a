/** Events in the way of events.k8s.io, as the scheduler tells them: one object a series, with an action. */
import type { Event } from 'kubernetes-types/core/v1.d.ts'
import { events } from '../kinds/index.ts'
import { ApiError, type KubeObject, type Stored, toMicroTime } from '../meta/index.ts'
import type { EventRecorder } from '../ports/index.ts'
import type { RecorderOptions } from './event-recorder.ts'
import { remember } from './remember.ts'

/** A series that was quiet for this long is over; the next event begins another. */
const SERIES_END = 360_000

/** What was being done when it happened. */
const ACTIONS: Readonly<Record<string, string>> = {
  Scheduled: 'Binding',
  FailedScheduling: 'Scheduling',
  Preempted: 'Preempting',
}

interface Series {
  namespace: string
  name: string
  at: number
}

export const createSeriesRecorder = ({
  client,
  clock,
  component,
  unique,
}: RecorderOptions): EventRecorder => {
  const known = new Map<string, Series>()

  const repeat = (key: string): boolean => {
    const series = known.get(key)
    if (series === undefined || clock.now() - series.at > SERIES_END) return false
    const event = client.get(events, series.namespace, series.name)
    if (event === undefined) return false
    const count = (event.series?.count ?? 1) + 1
    const lastObservedTime = toMicroTime(clock.now())
    client.update(events, { ...event, series: { count, lastObservedTime } } as Stored<Event>)
    remember(known, key, { ...series, at: clock.now() })
    return true
  }

  const begin = (key: string, object: KubeObject, type: string, reason: string, message: string): void => {
    const namespace = object.metadata.namespace ?? 'default'
    const { name, uid, resourceVersion } = object.metadata
    const created = client.create(events, {
      metadata: { name: `${name}.${unique()}`, namespace },
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
    remember(known, key, { namespace, name: created.metadata.name, at: clock.now() })
  }

  return {
    record(about, type, reason, message) {
      const object = about as KubeObject
      const key = [object.metadata.uid, object.metadata.resourceVersion, type, reason, message].join('|')
      try {
        if (!repeat(key)) begin(key, object, type, reason, message.slice(0, 1024))
      } catch (error) {
        // Events are told, not insisted on: a namespace that is going takes no more of them.
        if (!(error instanceof ApiError)) throw error
      }
    },
  }
}
