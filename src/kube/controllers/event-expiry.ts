/** Removes Events an hour after they last happened. */
import type { Event } from 'kubernetes-types/core/v1.d.ts'
import { events } from '../kinds/index.ts'
import { fromTime, isNotFound, type Stored } from '../meta/index.ts'
import { defineController } from './define-controller.ts'

const LIFETIME_MS = 3_600_000
const SWEEP_MS = 60_000
const SWEEP = 'sweep'

const lastSeen = ({ metadata, lastTimestamp, eventTime, series }: Stored<Event>): number =>
  fromTime(series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp)

export const eventExpiryController = defineController({
  name: 'event-expiry',
  user: 'system:apiserver',
  watches: [],
  start({ requeue }) {
    requeue(SWEEP, SWEEP_MS)
  },
  reconcile(_, { client, clock, requeue }) {
    requeue(SWEEP, SWEEP_MS)
    const oldest = clock.now() - LIFETIME_MS
    for (const event of client.list(events)) {
      if (lastSeen(event) > oldest) continue
      try {
        client.delete(events, event.metadata.namespace ?? '', event.metadata.name)
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    }
  },
})
