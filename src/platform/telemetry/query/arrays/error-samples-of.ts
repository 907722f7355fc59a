/** Finds one example for each distinct failure in memory. */
import type { SignalFilter, Span } from '#spec'
import { DEFAULT_LIMIT } from '../sqlite/query-rows.ts'
import { isWithin } from './is-within.ts'

interface ErrorSample {
  readonly count: number
  readonly last: number
  readonly span: Span
}

/** A missing message comes first, as in SQL. */
const compare = (a: string | undefined, b: string | undefined): number =>
  a === b ? 0 : a === undefined || (b !== undefined && a < b) ? -1 : 1

const compareSpans = (a: Span, b: Span): number =>
  compare(a.service, b.service) || compare(a.name, b.name) || compare(a.message, b.message)

export const errorSamplesOf = (
  spans: readonly Span[],
  { range, services, limit = DEFAULT_LIMIT }: SignalFilter = {},
): readonly ErrorSample[] => {
  const samples = new Map<string, ErrorSample>()
  for (const span of spans) {
    const { status, service, name, message, start } = span
    if (status !== 'error' || !isWithin(start, range)) continue
    if (services !== undefined && !services.includes(service)) continue
    const key = JSON.stringify([service, name, message ?? null])
    const known = samples.get(key) ?? { count: 0, last: Number.NEGATIVE_INFINITY, span }
    const isLater = start > known.last
    samples.set(key, {
      count: known.count + 1,
      last: isLater ? start : known.last,
      span: isLater ? span : known.span,
    })
  }
  return [...samples.values()]
    .sort((a, b) => b.count - a.count || b.last - a.last || compareSpans(a.span, b.span))
    .slice(0, limit)
}
