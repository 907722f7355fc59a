/** Events about objects: counted when repeated, gathered when similar, dropped when too many. */
import type { Event } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '../../kit/index.ts'
import { events } from '../kinds/index.ts'
import { ApiError, type KubeObject, type Stored, toTime } from '../meta/index.ts'
import type { Client, EventRecorder } from '../ports/index.ts'
import { remember } from './remember.ts'

/** The limits of the real recorder: similar events in ten minutes, and a bucket of events per object. */
const SIMILAR_LIMIT = 10
const SIMILAR_WINDOW = 600_000
const BUCKET = 25
const REFILL_INTERVAL = 300_000

interface Similar {
  messages: Set<string>
  since: number
}

interface Bucket {
  tokens: number
  at: number
}

export interface RecorderOptions {
  client: Client
  clock: Clock
  component: string
  host?: string
  /** The end of a new event's name, never the same twice. */
  unique(): string
}

export const createEventRecorder = ({
  client,
  clock,
  component,
  host,
  unique,
}: RecorderOptions): EventRecorder => {
  const repeated = new Map<string, { namespace: string; name: string }>()
  const similar = new Map<string, Similar>()
  const buckets = new Map<string, Bucket>()

  const mayPass = (object: KubeObject): boolean => {
    const key = object.metadata.uid
    const now = clock.now()
    const bucket = buckets.get(key) ?? { tokens: BUCKET, at: now }
    bucket.tokens = Math.min(BUCKET, bucket.tokens + (now - bucket.at) / REFILL_INTERVAL)
    bucket.at = now
    remember(buckets, key, bucket)
    if (bucket.tokens < 1) return false
    bucket.tokens -= 1
    return true
  }

  /** The message to show: from the tenth similar one on they are told as one. */
  const gathered = (key: string, message: string): { key: string; message: string } => {
    const now = clock.now()
    let entry = similar.get(key)
    if (entry === undefined || now - entry.since > SIMILAR_WINDOW) entry = { messages: new Set(), since: now }
    entry.since = now
    entry.messages.add(message)
    remember(similar, key, entry)
    if (entry.messages.size < SIMILAR_LIMIT) return { key: `${key}|${message}`, message }
    // One goes for each that comes, so that the set grows no further.
    const [oldest] = entry.messages
    entry.messages.delete(oldest!)
    return { key, message: `(combined from similar events): ${message}` }
  }

  const count = (known: { namespace: string; name: string }, message: string): boolean => {
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

  const write: EventRecorder['record'] = (about, type, reason, text, fieldPath) => {
    const object = about as KubeObject
    const namespace = object.metadata.namespace ?? 'default'
    const { key, message } = gathered(
      `${object.metadata.uid}|${fieldPath ?? ''}|${type}|${reason}`,
      text.slice(0, 1024),
    )
    if (!mayPass(object)) return
    const known = repeated.get(key)
    if (known !== undefined && count(known, message)) {
      remember(repeated, key, known)
      return
    }
    const now = toTime(clock.now())
    const created = client.create(events, {
      metadata: { name: `${object.metadata.name}.${unique()}`, namespace },
      involvedObject: {
        kind: object.kind,
        ...(object.metadata.namespace === undefined ? {} : { namespace }),
        name: object.metadata.name,
        uid: object.metadata.uid,
        apiVersion: object.apiVersion,
        ...(object.metadata.resourceVersion ? { resourceVersion: object.metadata.resourceVersion } : {}),
        ...(fieldPath === undefined ? {} : { fieldPath }),
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
    } as Event as never)
    remember(repeated, key, { namespace, name: created.metadata.name })
  }

  return {
    record(...event) {
      try {
        write(...event)
      } catch (error) {
        // Events are told, not insisted on: a namespace that is going takes no more of them.
        if (!(error instanceof ApiError)) throw error
      }
    },
  }
}
