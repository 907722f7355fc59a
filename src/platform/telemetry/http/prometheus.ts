/** Reads metrics and alerts from the HTTP API of Prometheus. */
import type { Alert, MetricSample, TimeRange } from '#spec'
import type { GetJson } from './get-json.ts'

type Labels = Readonly<Record<string, string>>

interface Matrix {
  readonly metric: Labels
  /** Seconds since the epoch, and the value as text. */
  readonly values: readonly (readonly [number, string])[]
}

export interface Prometheus {
  labelValues(label: string, range: TimeRange): Promise<readonly string[]>
  /** Returns raw samples in order of time. */
  samples(name: string, matchers: readonly string[], range: TimeRange): Promise<readonly MetricSample[]>
  alerts(range: TimeRange): Promise<readonly Alert[]>
}

/** Quotes a string for PromQL or LogQL. */
export const quote = (text: string): string => JSON.stringify(text)

/** Returns a quoted regular expression that matches exactly these values. */
export const alternatives = (values: readonly string[]): string =>
  quote(values.map((value) => value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'))

const toNumber = (text: string): number =>
  text === '+Inf' ? Number.POSITIVE_INFINITY : text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text)

const HIDDEN_LABELS = new Set(['__name__', 'alertname', 'alertstate', 'severity'])
const visibleLabels = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => !HIDDEN_LABELS.has(name)))
const haveSameLabels = (a: Labels, b: Labels): boolean =>
  JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort())

/** Expands `{{ $labels.pod }}` in the annotation of a rule. */
const expandTemplate = (template: string, labels: Labels): string =>
  template.replace(/\{\{\s*\$labels\.(\w+)\s*\}\}/g, (_whole, name: string) => labels[name] ?? '')

/** Estimates the evaluation interval of a rule in milliseconds: the smallest distance between two samples. */
const evaluationIntervalOf = (times: readonly number[]): number =>
  Math.min(...times.slice(1).map((time, index) => time - times[index]!), 60_000)

/** Groups sample times into intervals without a gap. `distance` is the evaluation interval of the rule. */
const toIntervals = (times: readonly number[]): { first: number; last: number; distance: number }[] => {
  const distance = evaluationIntervalOf(times)
  const intervals: { first: number; last: number; distance: number }[] = []
  for (const time of times) {
    const current = intervals.at(-1)
    if (current === undefined || time - current.last > 2.5 * distance)
      intervals.push({ first: time, last: time, distance })
    else current.last = time
  }
  return intervals
}

interface FiringAlert {
  readonly labels: Labels
  readonly annotations?: { readonly summary?: string }
  readonly state: string
  readonly activeAt: string
}

export const createPrometheus = (get: GetJson): Prometheus => {
  const toSeconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3)

  /** A range selector returns raw samples; `query_range` would resample them. */
  const fetchRawSamples = async (
    name: string,
    matchers: readonly string[],
    { from, to }: TimeRange,
  ): Promise<Matrix[]> => {
    const query = `${name}{${matchers.join(',')}}[${Math.ceil(to - from) + 1}ms]`
    const response = await get('/api/v1/query', { query, time: toSeconds(to) })
    return response?.data?.result ?? []
  }

  const fetchSummaries = async (): Promise<Map<string, string>> => {
    const response = await get('/api/v1/rules', { type: 'alert' })
    const rules = (response?.data?.groups ?? []).flatMap((group: { rules: readonly any[] }) => group.rules)
    return new Map(rules.map((rule: any) => [rule.name, rule.annotations?.summary ?? rule.name]))
  }

  return {
    async labelValues(label, { from, to }) {
      const bounds = { start: toSeconds(from), end: toSeconds(to) }
      return (await get(`/api/v1/label/${label}/values`, bounds))?.data ?? []
    },
    async samples(name, matchers, range) {
      const result = await fetchRawSamples(name, matchers, range)
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
      const [history, firing, summaries] = await Promise.all([
        fetchRawSamples('ALERTS', ['alertstate="firing"'], range),
        get('/api/v1/alerts').then((response): FiringAlert[] => response?.data?.alerts ?? []),
        fetchSummaries(),
      ])
      const isFiring = ({ alertstate: _state, __name__: _name, ...labels }: Labels): boolean =>
        firing.some((alert) => alert.state === 'firing' && haveSameLabels(alert.labels, labels))
      return history
        .flatMap(({ metric, values }) => {
          const intervals = toIntervals(values.map(([time]) => Math.round(time * 1000)))
          return intervals.map(({ first, last, distance }, index): Alert => {
            const isActive = index === intervals.length - 1 && isFiring(metric)
            return {
              name: metric.alertname ?? '',
              severity: metric.severity === 'page' ? 'page' : 'ticket',
              labels: visibleLabels(metric),
              summary: expandTemplate(summaries.get(metric.alertname ?? '') ?? '', metric),
              raised: first,
              ...(isActive ? {} : { cleared: last + distance }),
            }
          })
        })
        .sort((a, b) => a.raised - b.raised)
    },
  }
}
