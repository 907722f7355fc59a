/** Computes the observed call graph from spans in memory. */
import type { EdgeStatistics, Span, TimeRange } from '#spec'
import { MAX_EDGES } from '../sqlite/statistics-queries.ts'
import { statisticsOf } from '../statistics.ts'
import { isWithin } from './is-within.ts'

interface Calls {
  readonly from: string
  readonly to: string
  readonly durations: number[]
  errors: number
}

/** Groups calls by caller and callee. */
const createCallGroups = () => {
  const groups = new Map<string, Map<string, Calls>>()
  const groupOf = (from: string, to: string): Calls => {
    let byCallee = groups.get(from)
    if (byCallee === undefined) {
      byCallee = new Map()
      groups.set(from, byCallee)
    }
    let calls = byCallee.get(to)
    if (calls === undefined) {
      calls = { from, to, durations: [], errors: 0 }
      byCallee.set(to, calls)
    }
    return calls
  }
  return {
    add(from: string, to: string, { durationMs, status }: Span): void {
      const calls = groupOf(from, to)
      calls.durations.push(durationMs)
      if (status === 'error') calls.errors += 1
    },
    all: (): Calls[] => [...groups.values()].flatMap((byCallee) => [...byCallee.values()]),
  }
}

/** The services of the parents, by trace and span id. Span ids need not be unique: the first span with the id counts. */
const findParents = (
  spans: readonly Span[],
  children: readonly Span[],
): ReadonlyMap<string, ReadonlyMap<string, string | undefined>> => {
  const traces = new Map<string, Map<string, string | undefined>>()
  for (const { traceId, parentId } of children) {
    const parents = traces.get(traceId) ?? new Map<string, undefined>()
    traces.set(traceId, parents.set(parentId!, undefined))
  }
  if (traces.size === 0) return traces
  for (const { traceId, spanId, service } of spans) {
    const parents = traces.get(traceId)
    if (parents?.has(spanId) && parents.get(spanId) === undefined) parents.set(spanId, service)
  }
  return traces
}

const compareNames = (a: Calls, b: Calls): number =>
  a.from < b.from ? -1 : a.from > b.from ? 1 : a.to < b.to ? -1 : a.to > b.to ? 1 : 0

const compareFailures = (a: Calls, b: Calls): number =>
  b.errors - a.errors || b.durations.length - a.durations.length

/** Groups client and producer spans as calls to their peer, and consumer spans as calls from the service of their parent. */
const groupCalls = (spans: readonly Span[], range: TimeRange | undefined): Calls[] => {
  const called = createCallGroups()
  const consumed = createCallGroups()
  const consumers: Span[] = []
  for (const span of spans) {
    const { kind, peer } = span
    if (!isWithin(span.start, range)) continue
    if ((kind === 'client' || kind === 'producer') && peer !== undefined) called.add(span.service, peer, span)
    else if (kind === 'consumer' && span.parentId !== undefined) consumers.push(span)
  }
  const parents = findParents(spans, consumers)
  for (const span of consumers) {
    const caller = parents.get(span.traceId)?.get(span.parentId!)
    if (caller !== undefined) consumed.add(caller, span.service, span)
  }
  return [...called.all(), ...consumed.all()]
}

/** Above the limit, the edges with the most errors are kept. `extent` is the range of the rates if none is given. */
export const graphOf = (
  spans: readonly Span[],
  range: TimeRange | undefined,
  extent: () => TimeRange | undefined,
): readonly EdgeStatistics[] => {
  const groups = groupCalls(spans, range)
  const kept =
    groups.length <= MAX_EDGES
      ? groups
      : groups.sort((a, b) => compareFailures(a, b) || compareNames(a, b)).slice(0, MAX_EDGES)
  const window = range ?? extent()
  return kept
    .sort((a, b) => compareNames(a, b) || compareFailures(a, b))
    .map(({ from, to, durations, errors }) => ({ from, to, ...statisticsOf(durations, errors, window) }))
}
