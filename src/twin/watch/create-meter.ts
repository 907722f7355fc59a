/** Counts and times what a service does, and writes it as Prometheus reads it. */
import type { Meter } from '../ports/index.ts'
import { processMetrics } from './process-metrics.ts'

/** Seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** So many different label sets a metric has; what comes then is counted under `other`. */
const MOST_SERIES = 500

type Labels = Readonly<Record<string, string>>

const escapeLabel = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

const toLabelText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(',')

const toOther = (labels: Labels): Labels =>
  Object.fromEntries(Object.keys(labels).map((name) => [name, 'other']))

/** The series of one metric, by the text of their labels. */
const createSeries = <T>(make: () => T): { at(labels: Labels): T; all(): ReadonlyMap<string, T> } => {
  const series = new Map<string, T>()
  const make_ = (text: string): T => {
    const made = make()
    series.set(text, made)
    return made
  }
  return {
    at: (labels) => {
      const text = toLabelText(labels)
      const known = series.get(text)
      if (known !== undefined) return known
      if (series.size < MOST_SERIES) return make_(text)
      const other = toLabelText(toOther(labels))
      return series.get(other) ?? make_(other)
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
      series.at(labels).value += 1
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
  let below = 0
  const buckets = BUCKETS.map((bound, place) => {
    below += counts[place]!
    return `${name}_bucket{${labels},le="${bound}"} ${below}`
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
      const one = series.at(labels)
      const place = BUCKETS.findIndex((bound) => seconds <= bound)
      if (place >= 0) one.counts[place]! += 1
      one.count += 1
      one.sum += seconds
    },
    lines: () => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} histogram`,
      ...[...series.all()].flatMap(([labels, one]) => distributionLines(name, labels, one)),
    ],
  }
}

export interface TwinMeter extends Meter {
  /** Of a data store. */
  commanded(command: string, outcome: string, durationMs: number): void
}

/** `extra` gives what is only known when somebody asks, by name of the counter. */
export const createMeter = (extra: () => Readonly<Record<string, number>> = () => ({})): TwinMeter => {
  const served = createCounter('requests_served_total', 'Requests that were answered.')
  const servedTime = createHistogram('request_duration_seconds', 'Time to answer a request.')
  const called = createCounter('calls_total', 'Requests made to others.')
  const calledTime = createHistogram('call_duration_seconds', 'Time until others answered.')
  const commands = createCounter('commands_total', 'Commands that were carried out.')
  const commandTime = createHistogram('command_duration_seconds', 'Time to carry out a command.')
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
      const counted = Object.entries(extra()).flatMap(([name, value]) => [
        `# TYPE ${name} counter`,
        `${name} ${value}`,
      ])
      return `${[...filled.flat(), ...counted, ...processMetrics()].join('\n')}\n`
    },
  }
}
