/** Queries events in memory. */
import type { ClusterEvent, TelemetryQuery } from '#spec'
import { DEFAULT_LIMIT } from '../sqlite/query-rows.ts'
import { isWithin } from './is-within.ts'

type EventFilter = NonNullable<Parameters<TelemetryQuery['events']>[0]>

export const eventsOf = (
  events: readonly ClusterEvent[],
  { range, services, type, limit = DEFAULT_LIMIT }: EventFilter = {},
): readonly ClusterEvent[] => {
  const found = events.filter(
    (event) =>
      isWithin(event.time, range) &&
      (type === undefined || event.type === type) &&
      (services === undefined || (event.service !== undefined && services.includes(event.service))),
  )
  return found.sort((a, b) => a.time - b.time).slice(Math.max(0, found.length - limit))
}
