/** Reads lines from the HTTP API of Loki: container logs, and signals that are stored as lines by convention. */
import type { TimeRange } from '#spec'
import type { GetJson } from './get-json.ts'

/** The default limit of a Loki server per query. */
const MAX_LINES = 5000

export interface LokiLine {
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly labels: Readonly<Record<string, string>>
  readonly line: string
}

export interface Loki {
  /** Returns the newest lines, or the oldest, in order of time. */
  lines(
    query: string,
    range: TimeRange,
    options: { limit: number; oldest?: boolean },
  ): Promise<readonly LokiLine[]>
  /** Returns all lines, in several queries if needed. */
  all(query: string, range: TimeRange): Promise<readonly LokiLine[]>
  labelValues(label: string, range: TimeRange): Promise<readonly string[]>
}

interface Stream {
  readonly stream: Readonly<Record<string, string>>
  /** Nanoseconds since the epoch as text, and the line. */
  readonly values: readonly (readonly [string, string])[]
}

/** Nanoseconds as a bigint: they exceed the precision of a number. */
const toStamp = (milliseconds: number): bigint => BigInt(Math.round(milliseconds * 1000)) * 1000n
const toMilliseconds = (stamp: bigint): number => Number(stamp / 1000n) / 1000

interface StampRange {
  readonly from: bigint
  /** Exclusive. */
  readonly to: bigint
}

type StampedLine = LokiLine & { readonly stamp: bigint }

const toStampRange = ({ from, to }: TimeRange): StampRange => ({ from: toStamp(from), to: toStamp(to) })

export const createLoki = (get: GetJson): Loki => {
  const fetchPage = async (
    query: string,
    { from, to }: StampRange,
    { limit, direction }: { limit: number; direction: 'forward' | 'backward' },
  ): Promise<StampedLine[]> => {
    const parameters = { query, start: String(from), end: String(to), limit, direction }
    const response = await get('/loki/api/v1/query_range', parameters)
    const streams: readonly Stream[] = response?.data?.result ?? []
    return streams
      .flatMap(({ stream, values }) =>
        values.map(([text, line]) => {
          const stamp = BigInt(text)
          return { stamp, time: toMilliseconds(stamp), labels: stream, line }
        }),
      )
      .sort((a, b) => (a.stamp < b.stamp ? -1 : a.stamp > b.stamp ? 1 : 0))
  }

  /** Reads pages backwards from the end. */
  const fetchNewest = async (query: string, range: TimeRange, limit: number): Promise<LokiLine[]> => {
    const pages: StampedLine[][] = []
    let { from, to } = toStampRange(range)
    for (let remaining = limit; remaining > 0; ) {
      const pageSize = Math.min(MAX_LINES, remaining)
      const page = await fetchPage(query, { from, to }, { limit: pageSize, direction: 'backward' })
      pages.unshift(page)
      remaining -= page.length
      if (page.length < pageSize) break
      to = page[0]!.stamp
    }
    return pages.flat()
  }

  return {
    lines: (query, range, { limit, oldest }) =>
      oldest === true
        ? fetchPage(query, toStampRange(range), { limit, direction: 'forward' })
        : fetchNewest(query, range, limit),
    all: (query, range) => fetchNewest(query, range, Number.POSITIVE_INFINITY),
    async labelValues(label, range) {
      const { from, to } = toStampRange(range)
      const bounds = { start: String(from), end: String(to) }
      return (await get(`/loki/api/v1/label/${label}/values`, bounds))?.data ?? []
    },
  }
}
