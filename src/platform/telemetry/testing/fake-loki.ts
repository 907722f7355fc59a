/** A fake of Loki over a fixed set of lines. */
import { defined } from '#kit'
import { type FakeBackend, type FakeResponse, parseMatchers, startFakeBackend } from './fake-backend.ts'
import type { SignalSet } from './sample-signals.ts'

interface Entry {
  readonly labels: Readonly<Record<string, string>>
  readonly stamp: bigint
  readonly line: string
}

/** The default limit of a Loki server per query. */
const MAX_LINES = 5000

const toStamp = (milliseconds: number): bigint => BigInt(milliseconds) * 1_000_000n

/** The format of the Kubernetes event exporter. */
const toEventLine = ({ type, reason, object, message, count, time }: SignalSet['events'][number]): string => {
  const [kind, name] = object.split('/')
  const lastTimestamp = new Date(time).toISOString()
  return JSON.stringify({ type, reason, message, count, lastTimestamp, involvedObject: { kind, name } })
}

const toEntries = ({ logs, events, journeys }: SignalSet): Entry[] => [
  ...logs.map(({ time, text, severity, namespace, service, pod, container }) => ({
    labels: { namespace, service, pod, container, level: severity },
    stamp: toStamp(time),
    line: text,
  })),
  ...events.map((event) => ({
    labels: { job: 'kubernetes-events', ...defined({ service: event.service }) },
    stamp: toStamp(event.time),
    line: toEventLine(event),
  })),
  ...journeys.map((run) => ({
    labels: { job: 'journeys' },
    stamp: toStamp(run.started),
    line: JSON.stringify(run),
  })),
]

const QUERY = /^\{(.*?)\}(?:\s*\|=\s*("(?:[^"\\]|\\.)*"))?$/

const success = (data: unknown): FakeResponse => ({ body: { status: 'success', data } })

export const startFakeLoki = (signals: SignalSet): Promise<FakeBackend> => {
  const entries = toEntries(signals).sort((a, b) => (a.stamp < b.stamp ? -1 : 1))

  const parseQuery = (text: string): ((entry: Entry) => boolean) | undefined => {
    const [, matcherText, needle] = QUERY.exec(text) ?? []
    const matches = matcherText === undefined ? undefined : parseMatchers(matcherText)
    const expected = needle === undefined ? '' : JSON.parse(needle)
    return matches && (({ labels, line }) => matches(labels) && line.includes(expected))
  }

  return startFakeBackend((path, parameters) => {
    const [start, end] = ['start', 'end'].map((name) => BigInt(parameters.get(name) ?? 0)) as [bigint, bigint]
    const entriesInRange = entries.filter(({ stamp }) => stamp >= start && stamp < end)
    const [, label] = /^\/loki\/api\/v1\/label\/(\w+)\/values$/.exec(path) ?? []
    if (label !== undefined) {
      const values = [...new Set(entriesInRange.flatMap(({ labels }) => labels[label] ?? []))].sort()
      // Loki omits `data` if there are no values.
      return values.length === 0 ? { body: { status: 'success' } } : success(values)
    }
    if (path !== '/loki/api/v1/query_range') return undefined
    const isSelected = parseQuery(parameters.get('query') ?? '')
    const limit = Number(parameters.get('limit') ?? 100)
    if (isSelected === undefined) return { status: 400, body: 'parse error at line 1' }
    if (limit > MAX_LINES)
      return { status: 400, body: `max entries limit per query exceeded, limit > ${MAX_LINES}` }
    const selected = entriesInRange.filter(isSelected)
    const backward = parameters.get('direction') !== 'forward'
    const page = backward ? selected.slice(-limit).reverse() : selected.slice(0, limit)
    const result = [...Map.groupBy(page, ({ labels }) => JSON.stringify(labels)).values()].map((group) => ({
      stream: group[0]!.labels,
      values: group.map(({ stamp, line }) => [String(stamp), line]),
    }))
    return success({ resultType: 'streams', result, stats: {} })
  })
}
