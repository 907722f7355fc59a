/** Metrics and alerts from the HTTP API of Prometheus. */
import type { Alert, MetricSample, TimeRange } from '../../spec/index.ts'
import type { GetJson } from './get-json.ts'

type Labels = Readonly<Record<string, string>>

interface Matrix {
  readonly metric: Labels
  /** Seconds since the epoch, and the value as text. */
  readonly values: readonly (readonly [number, string])[]
}

export interface Prometheus {
  labelValues(label: string, range: TimeRange): Promise<readonly string[]>
  /** As they were taken, by time. */
  samples(name: string, matchers: readonly string[], range: TimeRange): Promise<readonly MetricSample[]>
  alerts(range: TimeRange): Promise<readonly Alert[]>
}

/** In quotes, as Prometheus and Loki both have it. */
export const quote = (text: string): string => JSON.stringify(text)

/** For a regular expression that means just one of these. */
export const oneOfThese = (values: readonly string[]): string =>
  quote(values.map((value) => value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'))

const toNumber = (text: string): number =>
  text === '+Inf' ? Number.POSITIVE_INFINITY : text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text)

const HIDDEN = new Set(['__name__', 'alertname', 'alertstate', 'severity'])
const shown = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => !HIDDEN.has(name)))
const sameLabels = (a: Labels, b: Labels): boolean =>
  JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort())

/** What rules write with `{{ $labels.pod }}` in it. */
const fillIn = (template: string, labels: Labels): string =>
  template.replace(/\{\{\s*\$labels\.(\w+)\s*\}\}/g, (_whole, name: string) => labels[name] ?? '')

/** Rules are looked at regularly: the usual distance of two samples, in milliseconds. */
const distanceOf = (times: readonly number[]): number =>
  Math.min(...times.slice(1).map((time, index) => time - times[index]!), 60_000)

/** From first to last without a gap. */
const toStretches = (times: readonly number[]): { first: number; last: number; distance: number }[] => {
  const distance = distanceOf(times)
  const stretches: { first: number; last: number; distance: number }[] = []
  for (const time of times) {
    const open = stretches.at(-1)
    if (open === undefined || time - open.last > 2.5 * distance)
      stretches.push({ first: time, last: time, distance })
    else open.last = time
  }
  return stretches
}

interface FiringAlert {
  readonly labels: Labels
  readonly annotations?: { readonly summary?: string }
  readonly state: string
  readonly activeAt: string
}

export const createPrometheus = (get: GetJson): Prometheus => {
  const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3)

  /** A range selector gives samples as they were taken; `query_range` would give them at steps of its own. */
  const raw = async (
    name: string,
    matchers: readonly string[],
    { from, to }: TimeRange,
  ): Promise<Matrix[]> => {
    const query = `${name}{${matchers.join(',')}}[${Math.ceil(to - from) + 1}ms]`
    const answer = await get('/api/v1/query', { query, time: seconds(to) })
    return answer?.data?.result ?? []
  }

  const summaries = async (): Promise<Map<string, string>> => {
    const answer = await get('/api/v1/rules', { type: 'alert' })
    const rules = (answer?.data?.groups ?? []).flatMap((group: { rules: readonly any[] }) => group.rules)
    return new Map(rules.map((rule: any) => [rule.name, rule.annotations?.summary ?? rule.name]))
  }

  return {
    async labelValues(label, { from, to }) {
      const bounds = { start: seconds(from), end: seconds(to) }
      return (await get(`/api/v1/label/${label}/values`, bounds))?.data ?? []
    },
    async samples(name, matchers, range) {
      const result = await raw(name, matchers, range)
      return result
        .flatMap(({ metric: { __name__: _name, ...labels }, values }) =>
          values.map(([time, value]) => ({
            time: Math.round(time * 1000),
            name,
            labels,
            value: toNumber(value),
          })),
        )
        .filter(({ time }) => time >= range.from && time < range.to)
        .sort((a, b) => a.time - b.time)
    },
    async alerts(range) {
      const [history, firing, texts] = await Promise.all([
        raw('ALERTS', ['alertstate="firing"'], range),
        get('/api/v1/alerts').then((answer): FiringAlert[] => answer?.data?.alerts ?? []),
        summaries(),
      ])
      const isFiring = ({ alertstate: _state, __name__: _name, ...labels }: Labels): boolean =>
        firing.some((alert) => alert.state === 'firing' && sameLabels(alert.labels, labels))
      return history
        .flatMap(({ metric, values }) => {
          const stretches = toStretches(values.map(([time]) => Math.round(time * 1000)))
          return stretches.map(({ first, last, distance }, index): Alert => {
            const goesOn = index === stretches.length - 1 && isFiring(metric)
            return {
              name: metric.alertname ?? '',
              severity: metric.severity === 'page' ? 'page' : 'ticket',
              labels: shown(metric),
              summary: fillIn(texts.get(metric.alertname ?? '') ?? '', metric),
              raised: first,
              ...(goesOn ? {} : { cleared: last + distance }),
            }
          })
        })
        .sort((a, b) => a.raised - b.raised)
    },
  }
}
