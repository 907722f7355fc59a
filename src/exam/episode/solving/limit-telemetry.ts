/** Telemetry for untrusted solvers: nothing before a given time, and nothing of the laboratory. */
import type { TelemetryQuery, TimeRange } from '#spec'
import { isLaboratoryObject } from '../laboratory/laboratory-namespace.ts'

export const limitTelemetry = (query: TelemetryQuery, since: number): TelemetryQuery => {
  const extent = async (): Promise<TimeRange | undefined> => {
    const available = await query.extent()
    return available && { from: Math.max(available.from, since), to: Math.max(available.to, since) }
  }
  /** Rates are divided by the length of the range, so it must be finite. */
  const clampRange = async (range: TimeRange | undefined): Promise<TimeRange> => {
    const { from, to } = range ?? (await extent()) ?? { from: since, to: since }
    return { from: Math.max(from, since), to: Math.max(to, since) }
  }
  const clampFilter = async <T extends { readonly range?: TimeRange }>(filter: T | undefined): Promise<T> =>
    ({ ...filter, range: await clampRange(filter?.range) }) as T
  return {
    extent,
    services: async (range) => query.services(await clampRange(range)),
    logs: async (filter) => query.logs(await clampFilter(filter)),
    spans: async (filter) => query.spans(await clampFilter(filter)),
    trace: async (traceId) => (await query.trace(traceId)).filter(({ start }) => start >= since),
    errorSamples: async (filter) => query.errorSamples(await clampFilter(filter)),
    endpoints: async (filter) => query.endpoints(await clampFilter(filter)),
    graph: async (range) => query.graph(await clampRange(range)),
    journeys: async (range) => query.journeys(await clampRange(range)),
    metricNames: async (range) => query.metricNames(await clampRange(range)),
    metric: async (name, filter) => query.metric(name, await clampFilter(filter)),
    events: async (filter) =>
      (await query.events(await clampFilter(filter))).filter(({ object }) => !isLaboratoryObject(object)),
    alerts: async (filter) =>
      (await query.alerts(await clampFilter(filter))).filter(({ raised }) => raised >= since),
  }
}
