/** The audit record: who changed what, when, and what came of it. */
import { type Clock, type Random, RecentList } from '../../kit/index.ts'
import { toMicroTime } from '../meta/index.ts'
import type { User } from '../ports/index.ts'

/** One request that changed something or opened a stream, in the form of audit.k8s.io/v1. */
export interface AuditEvent {
  kind: 'Event'
  apiVersion: 'audit.k8s.io/v1'
  level: 'Request'
  auditID: string
  stage: 'ResponseComplete'
  requestURI: string
  verb: string
  user: User
  /** As whom the user acted, where not as himself. */
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
}

export interface AuditOptions {
  clock: Clock
  random: Random
  /** How many events are kept in memory. */
  keep?: number
  /** Told of every event, for those who keep them all. */
  sink?: (event: AuditEvent) => void
}

/** Requests may be large: this is what those that are kept may take together. */
const KEPT_BYTES = 8_000_000

export const createAudit = ({ clock, random, keep = 2000, sink }: AuditOptions): Audit => {
  const kept = new RecentList<AuditEvent>({ count: keep, bytes: KEPT_BYTES })
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
    },
    events: () => kept.values.slice(-keep),
  }
}
