/** Lines from the HTTP API of Loki: what pods printed, and what is kept as lines by convention. */
import type { TimeRange } from '../../spec/index.ts'
import type { GetJson } from './get-json.ts'

/** What a server lets one ask for at a time where nobody has set it. */
const MOST_LINES = 5000

export interface LokiLine {
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly labels: Readonly<Record<string, string>>
  readonly line: string
}

export interface Loki {
  /** The newest so many, or the oldest, by time. */
  lines(
    query: string,
    range: TimeRange,
    choices: { limit: number; oldest?: boolean },
  ): Promise<readonly LokiLine[]>
  /** All of them, in as many questions as it takes. */
  all(query: string, range: TimeRange): Promise<readonly LokiLine[]>
  labelValues(label: string, range: TimeRange): Promise<readonly string[]>
}

interface Stream {
  readonly stream: Readonly<Record<string, string>>
  /** Nanoseconds since the epoch as text, and the line. */
  readonly values: readonly (readonly [string, string])[]
}

/** Nanoseconds, which are too many for a number. */
const toStamp = (milliseconds: number): bigint => BigInt(Math.round(milliseconds * 1000)) * 1000n
const toMilliseconds = (stamp: bigint): number => Number(stamp / 1000n) / 1000

interface Stretch {
  readonly from: bigint
  /** Not included. */
  readonly to: bigint
}

type Stamped = LokiLine & { readonly stamp: bigint }

const toStretch = ({ from, to }: TimeRange): Stretch => ({ from: toStamp(from), to: toStamp(to) })

export const createLoki = (get: GetJson): Loki => {
  const ask = async (
    query: string,
    { from, to }: Stretch,
    { limit, direction }: { limit: number; direction: 'forward' | 'backward' },
  ): Promise<Stamped[]> => {
    const parameters = { query, start: String(from), end: String(to), limit, direction }
    const answer = await get('/loki/api/v1/query_range', parameters)
    const streams: readonly Stream[] = answer?.data?.result ?? []
    return streams
      .flatMap(({ stream, values }) =>
        values.map(([text, line]) => {
          const stamp = BigInt(text)
          return { stamp, time: toMilliseconds(stamp), labels: stream, line }
        }),
      )
      .sort((a, b) => (a.stamp < b.stamp ? -1 : a.stamp > b.stamp ? 1 : 0))
  }

  /** Backwards from the end, page by page. */
  const newest = async (query: string, range: TimeRange, limit: number): Promise<LokiLine[]> => {
    const pages: Stamped[][] = []
    let { from, to } = toStretch(range)
    for (let left = limit; left > 0; ) {
      const wanted = Math.min(MOST_LINES, left)
      const page = await ask(query, { from, to }, { limit: wanted, direction: 'backward' })
      pages.unshift(page)
      left -= page.length
      if (page.length < wanted) break
      to = page[0]!.stamp
    }
    return pages.flat()
  }

  return {
    lines: (query, range, { limit, oldest }) =>
      oldest === true
        ? ask(query, toStretch(range), { limit, direction: 'forward' })
        : newest(query, range, limit),
    all: (query, range) => newest(query, range, Number.POSITIVE_INFINITY),
    async labelValues(label, range) {
      const { from, to } = toStretch(range)
      const bounds = { start: String(from), end: String(to) }
      return (await get(`/loki/api/v1/label/${label}/values`, bounds))?.data ?? []
    },
  }
}
