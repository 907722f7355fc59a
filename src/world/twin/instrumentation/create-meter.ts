/** Counts and measures requests, and formats the metrics for Prometheus. */
import type { Meter, TwinHost } from '#world/twin/ports'
import { processMetrics } from './process-metrics.ts'

/** Upper bounds in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Maximum number of label sets per metric; further ones are counted as `other`. */
const MAX_SERIES = 500

const escapeLabel = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

const toLabelText = (names: readonly string[], values: readonly string[]): string =>
  names.map((name, index) => `${name}="${escapeLabel(values[index]!)}"`).join(',')

/** Of the labels of a metric, at most one is free text, so that joined values are distinct. */
const SEPARATOR = '\0'

/** The series of one metric. */
interface Series<T> {
  /** The values of the labels, in the order of their names. */
  get(...values: string[]): T
  /** By label text. */
  all(): ReadonlyMap<string, T>
}

const createSeries = <T>(names: readonly string[], createValue: () => T): Series<T> => {
  const series = new Map<string, T>()
  /** The same series by the values of their labels, because each request looks up several. */
  const byValues = new Map<string, T>()
  const find = (text: string): T => {
    const existing = series.get(text)
    if (existing !== undefined) return existing
    const created = createValue()
    series.set(text, created)
    return created
  }
  return {
    get: (...values) => {
      let key = values[0]!
      for (let index = 1; index < values.length; index += 1) key += SEPARATOR + values[index]!
      const known = byValues.get(key)
      if (known !== undefined) return known
      const other = names.map(() => 'other')
      if (series.size >= MAX_SERIES) return find(toLabelText(names, other))
      const found = find(toLabelText(names, values))
      byValues.set(key, found)
      return found
    },
    all: () => series,
  }
}

interface Metric {
  lines(): string[]
}

interface Counter extends Metric {
  add(...values: string[]): void
}

interface Histogram extends Metric {
  observe(seconds: number, ...values: string[]): void
}

const createCounter = (name: string, help: string, labelNames: readonly string[]): Counter => {
  const series = createSeries(labelNames, () => ({ value: 0 }))
  return {
    add: (...values) => {
      series.get(...values).value += 1
    },
    lines: () => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} counter`,
      ...[...series.all()].map(([labels, { value }]) => `${name}{${labels}} ${value}`),
    ],
  }
}

interface Distribution {
  readonly counts: number[]
  count: number
  sum: number
}

const distributionLines = (name: string, labels: string, { counts, count, sum }: Distribution): string[] => {
  let cumulative = 0
  const buckets = BUCKETS.map((bound, index) => {
    cumulative += counts[index]!
    return `${name}_bucket{${labels},le="${bound}"} ${cumulative}`
  })
  return [
    ...buckets,
    `${name}_bucket{${labels},le="+Inf"} ${count}`,
    `${name}_sum{${labels}} ${Math.round(sum * 1e6) / 1e6}`,
    `${name}_count{${labels}} ${count}`,
  ]
}

const createHistogram = (name: string, help: string, labelNames: readonly string[]): Histogram => {
  const createDistribution = (): Distribution => ({ counts: BUCKETS.map(() => 0), count: 0, sum: 0 })
  const series = createSeries(labelNames, createDistribution)
  return {
    observe: (seconds, ...values) => {
      const distribution = series.get(...values)
      const index = BUCKETS.findIndex((bound) => seconds <= bound)
      if (index >= 0) distribution.counts[index]! += 1
      distribution.count += 1
      distribution.sum += seconds
    },
    lines: () => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} histogram`,
      ...[...series.all()].flatMap(([labels, distribution]) => distributionLines(name, labels, distribution)),
    ],
  }
}

export interface TwinMeter extends Meter {
  /** Records a command of a data store. */
  commanded(command: string, outcome: string, durationMs: number): void
}

const hostLines = (host: Pick<TwinHost, 'counts'>): string[] => {
  const { droppedSpans, droppedLines } = host.counts()
  return [
    '# TYPE spans_dropped_total counter',
    `spans_dropped_total ${droppedSpans}`,
    '# TYPE log_lines_dropped_total counter',
    `log_lines_dropped_total ${droppedLines}`,
  ]
}

/** The process metrics count the time from this call. */
export const createMeter = (host: Pick<TwinHost, 'time' | 'cpu' | 'memory' | 'counts'>): TwinMeter => {
  const startedAt = host.time.monotonic()
  const served = createCounter('requests_served_total', 'Requests served.', ['endpoint', 'status'])
  const servedTime = createHistogram('request_duration_seconds', 'Duration of served requests.', ['endpoint'])
  const called = createCounter('calls_total', 'Calls to other services.', ['peer', 'operation', 'outcome'])
  const calledTime = createHistogram('call_duration_seconds', 'Duration of calls to other services.', [
    'peer',
    'operation',
  ])
  const commands = createCounter('commands_total', 'Commands executed.', ['command', 'outcome'])
  const commandTime = createHistogram('command_duration_seconds', 'Duration of commands.', ['command'])
  return {
    served: (endpoint, status, durationMs) => {
      served.add(endpoint, status)
      servedTime.observe(durationMs / 1000, endpoint)
    },
    called: (peer, operation, outcome, durationMs) => {
      called.add(peer, operation, outcome)
      calledTime.observe(durationMs / 1000, peer, operation)
    },
    commanded: (command, outcome, durationMs) => {
      commands.add(command, outcome)
      commandTime.observe(durationMs / 1000, command)
    },
    text: () => {
      const metrics = [served, servedTime, called, calledTime, commands, commandTime]
      const filled = metrics.map((metric) => metric.lines()).filter((lines) => lines.length > 2)
      return `${[...filled.flat(), ...hostLines(host), ...processMetrics(host, startedAt)].join('\n')}\n`
    },
  }
}
