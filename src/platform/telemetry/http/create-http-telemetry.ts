/**
 * Implements the port TelemetryQuery over Prometheus, Loki and Jaeger. docs/telemetry.md describes the conventions for
 * signals that these backends have no format for.
 */
import type { TelemetryQuery } from '#spec'
import { type Backends, createBackends, type HttpTelemetryOptions } from './backends.ts'
import { createLogQueries, createMetricQueries } from './signal-queries.ts'
import { createSpanQueries } from './span-queries.ts'
import { createStatisticsQueries } from './statistics-queries.ts'

const createServicesQuery = ({
  prometheus,
  loki,
  jaeger,
  lookback,
}: Backends): Pick<TelemetryQuery, 'services'> => ({
  async services(range) {
    const window = range ?? lookback()
    const [fromMetrics, fromLines, tracedServices] = await Promise.all([
      prometheus.labelValues('service', window),
      loki.labelValues('service', window),
      jaeger.services(),
    ])
    const fromSpans = await Promise.all(
      tracedServices.map(async (service) => ((await jaeger.hasSpans(service, window)) ? [service] : [])),
    )
    return [...new Set([...fromMetrics, ...fromLines, ...fromSpans.flat()])].sort()
  },
})

export const createHttpTelemetry = (options: HttpTelemetryOptions): TelemetryQuery => {
  const backends = createBackends(options)
  return {
    extent: backends.extent,
    ...createServicesQuery(backends),
    ...createSpanQueries(backends),
    ...createStatisticsQueries(backends),
    ...createLogQueries(backends),
    ...createMetricQueries(backends),
  }
}
