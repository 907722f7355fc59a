/** Queries for spans and traces, from Jaeger. */
import type { TelemetryQuery } from '#spec'
import { type Backends, DEFAULT_LIMIT } from './backends.ts'
import { groupSorted } from './group-sorted.ts'

export const createSpanQueries = ({
  jaeger,
  spansIn,
}: Backends): Pick<TelemetryQuery, 'spans' | 'trace' | 'errorSamples'> => ({
  async spans({ range, services, limit = DEFAULT_LIMIT, errors, slowerThanMs = -1, operation } = {}) {
    const spans = await spansIn(range, services)
    return spans
      .filter(({ status }) => errors === undefined || errors === (status === 'error'))
      .filter(({ durationMs }) => durationMs > slowerThanMs)
      .filter(({ name }) => operation === undefined || name === operation)
      .slice(-limit)
  },
  trace: (traceId) => jaeger.trace(traceId),
  async errorSamples({ range, services, limit = DEFAULT_LIMIT } = {}) {
    const failed = (await spansIn(range, services)).filter(({ status }) => status === 'error')
    return groupSorted(failed, ({ service, name, message }) => JSON.stringify([service, name, message]))
      .map(([, group]) => ({ count: group.length, last: group.at(-1)!.start, span: group.at(-1)! }))
      .sort((a, b) => b.count - a.count || b.last - a.last)
      .slice(0, limit)
  },
})
