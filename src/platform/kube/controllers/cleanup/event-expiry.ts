/** Deletes Events one hour after their last occurrence, and the oldest ones if there are too many. */
import type { Event } from 'kubernetes-types/core/v1.d.ts'
import { events } from '#platform/kube/kinds'
import { fromTime, isNotFound, type Stored } from '#platform/kube/meta'
import type { Controller } from '../define-controller.ts'

const LIFETIME_MS = 3_600_000
const SWEEP_MS = 60_000

/**
 * A real cluster stores events in etcd on disk. This server keeps them in memory, so a client that writes events without
 * end, or a cluster that fails for hours, must not exhaust the memory.
 */
const MAX_EVENTS = 20_000
/** An extra sweep runs at this multiple of the maximum, not for every event above it: a sweep reads all events. */
const SWEEP_FACTOR = 1.05
const SWEEP = 'sweep'

const lastSeen = ({ metadata, lastTimestamp, eventTime, series }: Stored<Event>): number =>
  fromTime(series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp)

/** Returns the events past their lifetime, or the oldest ones if more than `maxEvents` would remain. */
const findExpired = (
  all: readonly Stored<Event>[],
  now: number,
  maxEvents: number,
): readonly Stored<Event>[] => {
  const aged = all.map((event) => ({ event, seen: lastSeen(event) }))
  const excess = all.length - maxEvents
  const old = aged.filter(({ seen }) => seen <= now - LIFETIME_MS)
  const chosen = excess > old.length ? aged.sort((a, b) => a.seen - b.seen).slice(0, excess) : old
  return chosen.map(({ event }) => event)
}

export const createEventExpiry = (
  { maxEvents }: { maxEvents: number } = { maxEvents: MAX_EVENTS },
): Controller => ({
  name: 'event-expiry',
  user: 'system:apiserver',
  watches: [],
  start({ client, requeue }) {
    requeue(SWEEP, SWEEP_MS)
    let count = client.list(events).length
    return client.watch(events, ({ type }) => {
      if (type === 'DELETED') count -= 1
      if (type !== 'ADDED') return
      count += 1
      if (count >= maxEvents * SWEEP_FACTOR) requeue(SWEEP, 0)
    })
  },
  reconcile(_, { client, clock, requeue }) {
    requeue(SWEEP, SWEEP_MS)
    for (const event of findExpired(client.list(events), clock.now(), maxEvents)) {
      try {
        client.delete(events, event.metadata.namespace ?? '', event.metadata.name)
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    }
  },
})
