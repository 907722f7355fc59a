/** Runs the queries of every attempt on signals in memory, without SQL. */
import type { TelemetryQuery } from '#spec'
import type { MemorySignals } from '../../store/memory/memory-signals.ts'
import { alertsOf } from './alerts-of.ts'
import { errorSamplesOf } from './error-samples-of.ts'
import { eventsOf } from './events-of.ts'
import { extentOf } from './extent-of.ts'
import { graphOf } from './graph-of.ts'
import { servicesOf } from './services-of.ts'

export const createArrayQueries = (
  signals: () => MemorySignals,
): Pick<TelemetryQuery, 'extent' | 'services' | 'graph' | 'errorSamples' | 'events' | 'alerts'> => ({
  extent: async () => extentOf(signals()),
  services: async (range) => servicesOf(signals(), range),
  graph: async (range) => graphOf(signals().spans, range, () => extentOf(signals())),
  errorSamples: async (filter) => errorSamplesOf(signals().spans, filter),
  events: async (filter) => eventsOf(signals().events, filter),
  alerts: async (filter) => alertsOf(signals().alerts, filter),
})
