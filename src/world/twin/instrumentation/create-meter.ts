/** Counts and measures requests, and formats the metrics for Prometheus. */
import type { Meter, TwinHost } from '#world/twin/ports'
import { processMetrics } from './process-metrics.ts'

/** Upper bounds in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Maximum number of label sets per metric; further ones are counted as `other`. */
const MAX_SERIES = 500

type Labels = Readonly<Record<string, string>>

const escapeLabel = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

const toLabelText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(',')

const toOther = (labels: Labels): Labels =>
  Object.fromEntries(Object.keys(labels).map((name) => [name, 'other']))

/** The series of one metric by their label text. */
const createSeries = <T>(createValue: () => T): { get(labels: Labels): T; all(): ReadonlyMap<string, T> } => {
  const series = new Map<string, T>()
  const addSeries = (text: string): T => {
    const created = createValue()
    series.set(text, created)
    return created
  }
  return {
    get: (labels) => {
      const text = toLabelText(labels)
      const existing = series.get(text)
      if (existing !== undefined) return existing
      if (series.size < MAX_SERIES) return addSeries(text)
      const other = toLabelText(toOther(labels))
      return series.get(other) ?? addSeries(other)
    },
    all: () => series,
  }
}

interface Metric {
  lines(): string[]
}

interface Counter extends Metric {
  add(labels: Labels): void
}

interface Histogram extends Metric {
  observe(labels: Labels, seconds: number): void
}

const createCounter = (name: string, help: string): Counter => {
  const series = createSeries(() => ({ value: 0 }))
  return {
    add: (labels) => {
      series.get(labels).value += 1
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

const createHistogram = (name: string, help: string): Histogram => {
  const series = createSeries((): Distribution => ({ counts: BUCKETS.map(() => 0), count: 0, sum: 0 }))
  return {
    observe: (labels, seconds) => {
      const distribution = series.get(labels)
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
  const served = createCounter('requests_served_total', 'Requests served.')
  const servedTime = createHistogram('request_duration_seconds', 'Duration of served requests.')
  const called = createCounter('calls_total', 'Calls to other services.')
  const calledTime = createHistogram('call_duration_seconds', 'Duration of calls to other services.')
  const commands = createCounter('commands_total', 'Commands executed.')
  const commandTime = createHistogram('command_duration_seconds', 'Duration of commands.')
  return {
    served: (endpoint, status, durationMs) => {
      served.add({ endpoint, status })
      servedTime.observe({ endpoint }, durationMs / 1000)
    },
    called: (peer, operation, outcome, durationMs) => {
      called.add({ peer, operation, outcome })
      calledTime.observe({ peer, operation }, durationMs / 1000)
    },
    commanded: (command, outcome, durationMs) => {
      commands.add({ command, outcome })
      commandTime.observe({ command }, durationMs / 1000)
    },
    text: () => {
      const metrics = [served, servedTime, called, calledTime, commands, commandTime]
      const filled = metrics.map((metric) => metric.lines()).filter((lines) => lines.length > 2)
      return `${[...filled.flat(), ...hostLines(host), ...processMetrics(host, startedAt)].join('\n')}\n`
    },
  }
}
