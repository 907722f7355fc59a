/** Removes Events an hour after they last happened, and the oldest when there are too many. */
import type { Event } from 'kubernetes-types/core/v1.d.ts'
import { events } from '../kinds/index.ts'
import { fromTime, isNotFound, type Stored } from '../meta/index.ts'
import type { Controller } from './define-controller.ts'

const LIFETIME_MS = 3_600_000
const SWEEP_MS = 60_000

/**
 * A real server keeps events in a database on disk; ours holds them in memory, where a client that writes them
 * without end, or a cluster in which everything fails for hours, must not crowd out the rest.
 */
const MOST_EVENTS = 20_000
/** A sweep costs as much as there are events: out of turn one is made only when so many times the most are there. */
const SLACK = 1.05
const SWEEP = 'sweep'

const lastSeen = ({ metadata, lastTimestamp, eventTime, series }: Stored<Event>): number =>
  fromTime(series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp)

/** Those that have outlived their time, or the oldest where that leaves more than `most`. */
const superfluous = (all: readonly Stored<Event>[], now: number, most: number): readonly Stored<Event>[] => {
  const aged = all.map((event) => ({ event, seen: lastSeen(event) }))
  const excess = all.length - most
  const old = aged.filter(({ seen }) => seen <= now - LIFETIME_MS)
  const chosen = excess > old.length ? aged.sort((a, b) => a.seen - b.seen).slice(0, excess) : old
  return chosen.map(({ event }) => event)
}

export const createEventExpiry = ({ most }: { most: number } = { most: MOST_EVENTS }): Controller => ({
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
      if (count >= most * SLACK) requeue(SWEEP, 0)
    })
  },
  reconcile(_, { client, clock, requeue }) {
    requeue(SWEEP, SWEEP_MS)
    for (const event of superfluous(client.list(events), clock.now(), most)) {
      try {
        client.delete(events, event.metadata.namespace ?? '', event.metadata.name)
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    }
  },
})
