/** Queries that aggregate requests: by endpoint and by edge from Jaeger, by journey from Loki. */
import type { JourneyRecord, Span, TelemetryQuery } from '#spec'
import { toStatistics } from '../query/statistics.ts'
import type { Backends } from './backends.ts'
import { groupSorted } from './group-sorted.ts'
import { parseJsonLine } from './parse-json-line.ts'

const JOURNEYS = '{job="journeys"}'

const isServed = ({ kind }: Span): boolean => kind === 'server' || kind === 'consumer'
const toRequest = ({ durationMs, status }: Span) => ({ durationMs, failed: status === 'error' })

/**
 * Returns calls with caller and callee. The callee of a client or producer span is its peer; the caller of a consumer span
 * is the service of its parent.
 */
const toCalls = (spans: readonly Span[]): { from: string; to: string; span: Span }[] => {
  const byId = new Map(spans.map((span) => [`${span.traceId}/${span.spanId}`, span]))
  return spans.flatMap((span) => {
    const { kind, service, peer } = span
    if ((kind === 'client' || kind === 'producer') && peer !== undefined)
      return [{ from: service, to: peer, span }]
    const parent = kind === 'consumer' ? byId.get(`${span.traceId}/${span.parentId}`) : undefined
    return parent === undefined ? [] : [{ from: parent.service, to: service, span }]
  })
}

export const createStatisticsQueries = ({
  loki,
  lookback,
  spansIn,
  extent,
}: Backends): Pick<TelemetryQuery, 'endpoints' | 'graph' | 'journeys'> => ({
  async endpoints({ range, services, limit } = {}) {
    const served = (await spansIn(range, services)).filter(isServed)
    const window = range ?? (await extent())
    return groupSorted(served, ({ service, name }) => JSON.stringify([service, name]))
      .map(([, group]) => ({
        service: group[0]!.service,
        endpoint: group[0]!.name,
        ...toStatistics(group.map(toRequest), window),
      }))
      .slice(0, limit)
  },
  async graph(range) {
    const calls = toCalls(await spansIn(range))
    const window = range ?? (await extent())
    return groupSorted(calls, ({ from, to }) => JSON.stringify([from, to])).map(([, group]) => ({
      from: group[0]!.from,
      to: group[0]!.to,
      ...toStatistics(
        group.map(({ span }) => toRequest(span)),
        window,
      ),
    }))
  },
  async journeys(range) {
    const lines = await loki.all(JOURNEYS, range ?? lookback())
    const runs = lines.flatMap(({ line }): JourneyRecord[] => parseJsonLine(line))
    const window = range ?? (await extent())
    return groupSorted(runs, ({ journey }) => journey).map(([journey, group]) => ({
      journey,
      ...toStatistics(
        group.map(({ latencyMs, ok }) => ({ durationMs: latencyMs, failed: !ok })),
        window,
      ),
    }))
  },
})
