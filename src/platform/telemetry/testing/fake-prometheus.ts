/** A fake of Prometheus over a fixed set of samples and alerts. */
import type { Alert } from '#spec'
import { type FakeBackend, type FakeResponse, parseMatchers, startFakeBackend } from './fake-backend.ts'
import type { SignalSet } from './sample-signals.ts'

interface Series {
  readonly metric: Readonly<Record<string, string>>
  /** Milliseconds since the epoch. */
  readonly values: (readonly [number, number])[]
}

/** Evaluation interval of alerting rules. */
const EVALUATION_MS = 1000

const RANGE_SELECTOR = /^([a-zA-Z_:][\w:]*)\{(.*)\}\[(\d+)ms\]$/

const alertLabels = ({ name, severity, labels }: Alert) => ({ alertname: name, severity, ...labels })

/** A firing alert has a sample of value 1 at each evaluation. */
const toAlertSeries = (alert: Alert, now: number): Series => {
  const values: [number, number][] = []
  for (let time = alert.raised; time < (alert.cleared ?? now); time += EVALUATION_MS) values.push([time, 1])
  return { metric: { __name__: 'ALERTS', alertstate: 'firing', ...alertLabels(alert) }, values }
}

const toSeries = ({ metrics, alerts }: SignalSet, now: number): Series[] => {
  const seriesByMetric = new Map<string, Series>()
  for (const { name, labels, time, value } of metrics) {
    const metric = { __name__: name, ...labels }
    const series: Series = seriesByMetric.get(JSON.stringify(metric)) ?? { metric, values: [] }
    seriesByMetric.set(JSON.stringify(metric), series)
    series.values.push([time, value])
  }
  return [...seriesByMetric.values(), ...alerts.map((alert) => toAlertSeries(alert, now))]
}

/** The annotation of a rule has placeholders where its alerts have label values. */
const toRule = ({ name, labels, summary }: Alert) => ({
  type: 'alerting',
  name,
  annotations: {
    summary: Object.entries(labels).reduce(
      (text, [label, value]) => text.replace(value, `{{ $labels.${label} }}`),
      summary,
    ),
  },
})

const success = (data: unknown): FakeResponse => ({ body: { status: 'success', data } })
const failure = (error: string): FakeResponse => ({
  status: 400,
  body: { status: 'error', errorType: 'bad_data', error },
})

export const startFakePrometheus = (signals: SignalSet, now: number): Promise<FakeBackend> => {
  const series = toSeries(signals, now)

  const query = (text: string, time: number): FakeResponse => {
    const [, name, matcherText, length] = RANGE_SELECTOR.exec(text) ?? []
    const matches = matcherText === undefined ? undefined : parseMatchers(matcherText)
    if (matches === undefined) return failure(`invalid parameter "query": ${text}`)
    const result = series
      .filter(({ metric }) => metric.__name__ === name && matches(metric))
      .map(({ metric, values }) => ({
        metric,
        // Range selectors exclude the left end and include the right one.
        values: values
          .filter(([sampleTime]) => sampleTime > time - Number(length) && sampleTime <= time)
          .map(([sampleTime, value]) => [sampleTime / 1000, String(value)]),
      }))
      .filter(({ values }) => values.length > 0)
    return success({ resultType: 'matrix', result })
  }

  return startFakeBackend((path, parameters) => {
    const timeParameter = (name: string): number => Number(parameters.get(name)) * 1000
    const [, label] = /^\/api\/v1\/label\/(\w+)\/values$/.exec(path) ?? []
    if (label !== undefined) {
      const seriesInRange = series.filter(({ values }) =>
        values.some(([time]) => time >= timeParameter('start') && time <= timeParameter('end')),
      )
      const values = seriesInRange.flatMap(({ metric }) => metric[label] ?? [])
      return success([...new Set(values)].sort())
    }
    if (path === '/api/v1/query') return query(parameters.get('query') ?? '', timeParameter('time'))
    if (path === '/api/v1/alerts') {
      const firing = signals.alerts.filter(({ cleared }) => cleared === undefined)
      return success({
        alerts: firing.map((alert) => ({
          labels: alertLabels(alert),
          annotations: { summary: alert.summary },
          state: 'firing',
          activeAt: new Date(alert.raised).toISOString(),
          value: '1e+00',
        })),
      })
    }
    if (path === '/api/v1/rules')
      return success({ groups: [{ name: 'all', rules: signals.alerts.map(toRule) }] })
    return undefined
  })
}
