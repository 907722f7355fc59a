/** Records events about objects: counts repeated events, aggregates similar ones and drops excess ones. */
import type { Event } from 'kubernetes-types/core/v1.d.ts'
import { type Clock, defined } from '#kit'
import { events } from '#platform/kube/kinds'
import { ApiError, type KubeObject, type Stored, toTime } from '#platform/kube/meta'
import type { Client, EventRecorder } from '#platform/kube/ports'
import { createEventLimiter } from './event-limiter.ts'
import { setLru } from './set-lru.ts'

export interface RecorderOptions {
  client: Client
  clock: Clock
  component: string
  host?: string
  /** Returns a unique suffix for the name of a new event. */
  uniqueSuffix(): string
}

export interface EventContent {
  object: KubeObject
  type: string
  reason: string
  message: string
  fieldPath: string | undefined
}

const MAX_MESSAGE_CHARACTERS = 1024

const toEvent = (
  { clock, component, host, uniqueSuffix }: RecorderOptions,
  { object, type, reason, message, fieldPath }: EventContent,
): Event => {
  const { name, namespace, uid, resourceVersion } = object.metadata
  const now = toTime(clock.now())
  return {
    metadata: { name: `${name}.${uniqueSuffix()}`, namespace: namespace ?? 'default' },
    involvedObject: {
      kind: object.kind,
      ...defined({ namespace }),
      name,
      uid,
      apiVersion: object.apiVersion,
      ...(resourceVersion ? { resourceVersion } : {}),
      ...defined({ fieldPath }),
    },
    reason,
    message,
    source: host === undefined ? { component } : { component, host },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
    type,
    reportingComponent: component,
    reportingInstance: host ?? '',
  } as Event
}

export const createEventRecorder = (options: RecorderOptions): EventRecorder => {
  const { client, clock } = options
  const limiter = createEventLimiter(clock)
  const recorded = new Map<string, { namespace: string; name: string }>()

  const incrementCount = (known: { namespace: string; name: string }, message: string): boolean => {
    const event = client.get(events, known.namespace, known.name)
    if (event === undefined) return false
    client.update(events, {
      ...event,
      message,
      count: (event.count ?? 1) + 1,
      lastTimestamp: toTime(clock.now()),
    } as Stored<Event>)
    return true
  }

  const write: EventRecorder['record'] = (subject, type, reason, text, fieldPath) => {
    const object = subject as KubeObject
    const { uid, namespace = 'default' } = object.metadata
    const { key, message } = limiter.aggregate(
      `${uid}|${fieldPath ?? ''}|${type}|${reason}`,
      text.slice(0, MAX_MESSAGE_CHARACTERS),
    )
    if (!limiter.takeToken(uid)) return
    const known = recorded.get(key)
    if (known !== undefined && incrementCount(known, message)) {
      setLru(recorded, key, known)
      return
    }
    const created = client.create(
      events,
      toEvent(options, { object, type, reason, message, fieldPath }) as never,
    )
    setLru(recorded, key, { namespace, name: created.metadata.name })
  }

  return {
    record(...event) {
      try {
        write(...event)
      } catch (error) {
        // Events are best effort: a terminating namespace, for example, rejects them.
        if (!(error instanceof ApiError)) throw error
      }
    },
  }
}
