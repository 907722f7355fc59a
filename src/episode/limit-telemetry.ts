/** Telemetry in the hands of a solver: as if it had begun at a time, and without the laboratory. */
import type { TelemetryQuery, TimeRange } from '../spec/index.ts'
import { isOfLaboratory } from './laboratory.ts'

export const limitTelemetry = (query: TelemetryQuery, since: number): TelemetryQuery => {
  const extent = async (): Promise<TimeRange | undefined> => {
    const all = await query.extent()
    return all && { from: Math.max(all.from, since), to: Math.max(all.to, since) }
  }
  /** Rates are by the length of the time: one without an end would make them none. */
  const within = async (range: TimeRange | undefined): Promise<TimeRange> => {
    const { from, to } = range ?? (await extent()) ?? { from: since, to: since }
    return { from: Math.max(from, since), to: Math.max(to, since) }
  }
  const limited = async <T extends { readonly range?: TimeRange }>(filter: T | undefined): Promise<T> =>
    ({ ...filter, range: await within(filter?.range) }) as T
  return {
    extent,
    services: async (range) => query.services(await within(range)),
    logs: async (filter) => query.logs(await limited(filter)),
    spans: async (filter) => query.spans(await limited(filter)),
    trace: async (traceId) => (await query.trace(traceId)).filter(({ start }) => start >= since),
    errorSamples: async (filter) => query.errorSamples(await limited(filter)),
    endpoints: async (filter) => query.endpoints(await limited(filter)),
    graph: async (range) => query.graph(await within(range)),
    journeys: async (range) => query.journeys(await within(range)),
    metricNames: async (range) => query.metricNames(await within(range)),
    metric: async (name, filter) => query.metric(name, await limited(filter)),
    events: async (filter) =>
      (await query.events(await limited(filter))).filter(({ object }) => !isOfLaboratory(object)),
    alerts: async (filter) =>
      (await query.alerts(await limited(filter))).filter(({ raised }) => raised >= since),
  }
}
