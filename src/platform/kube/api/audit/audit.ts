/** The audit log: the user, the object, the time and the result of each change. */
import { type Clock, type Random, RecentList } from '#kit'
import { toMicroTime } from '#platform/kube/meta'
import type { User } from '#platform/kube/ports'

/** One mutating request or stream, as an audit.k8s.io/v1 Event. */
export interface AuditEvent {
  kind: 'Event'
  apiVersion: 'audit.k8s.io/v1'
  level: 'Request'
  auditID: string
  stage: 'ResponseComplete'
  requestURI: string
  verb: string
  user: User
  /** Set if the user impersonated another one. */
  impersonatedUser?: User
  userAgent: string
  objectRef: {
    resource: string
    namespace?: string
    name?: string
    apiGroup?: string
    apiVersion: string
    subresource?: string
  }
  responseStatus: { code: number; reason?: string; message?: string }
  requestObject?: unknown
  requestReceivedTimestamp: string
  stageTimestamp: string
}

export interface Audit {
  record(
    event: Omit<AuditEvent, 'kind' | 'apiVersion' | 'level' | 'auditID' | 'stage' | 'stageTimestamp'>,
  ): void
  /** The latest events, oldest first. */
  events(): readonly AuditEvent[]
  /** Calls `listener` for every later event, until the returned function is called. */
  follow(listener: (event: AuditEvent) => void): () => void
}

export interface AuditOptions {
  clock: Clock
  random: Random
  /** The maximum number of events to keep in memory. */
  keep?: number
  /** Receives every event. */
  sink?: (event: AuditEvent) => void
}

/** Limits the memory of the kept events, since request bodies may be large. */
const MAX_KEPT_BYTES = 8_000_000

export const createAudit = ({ clock, random, keep = 2000, sink }: AuditOptions): Audit => {
  const kept = new RecentList<AuditEvent>({ count: keep, bytes: MAX_KEPT_BYTES })
  const listeners = new Set<(event: AuditEvent) => void>()
  return {
    record(event) {
      const complete: AuditEvent = {
        kind: 'Event',
        apiVersion: 'audit.k8s.io/v1',
        level: 'Request',
        auditID: random.uuid(),
        stage: 'ResponseComplete',
        ...event,
        stageTimestamp: toMicroTime(clock.now()),
      }
      kept.add(complete)
      sink?.(complete)
      for (const listener of listeners) listener(complete)
    },
    events: () => kept.values.slice(-keep),
    follow(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
