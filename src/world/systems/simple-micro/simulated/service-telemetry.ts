/** The metrics and spans of a service of Simple-Micro, as `telemetry.py` records them. */
import { defined } from '#kit'
import type { ProgramHost, Span } from '#spec'

const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Labels in the order of the text. */
export type Labels = Readonly<Record<string, string | number>>

export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
}

interface Histogram {
  readonly name: string
  readonly labels: Labels
  readonly buckets: number[]
  count: number
  sum: number
}

interface Counter {
  readonly name: string
  readonly labels: Labels
  value: number
}

export interface Observation {
  readonly counter: string
  readonly histogram: string
  readonly labels: Labels
  /** Labels of the counter only. */
  readonly outcome: Labels
  readonly seconds: number
}

export interface SpanOptions {
  readonly context: TraceContext
  readonly parentId?: string | undefined
  readonly name: string
  readonly kind: 'server' | 'client'
  /** Milliseconds since the epoch. */
  readonly start: number
  readonly failure?: string | undefined
  readonly peer?: string
  readonly attributes?: Span['attributes']
}

const toText = (labels: Labels): string =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')}}`

export class ServiceTelemetry {
  readonly #host: ProgramHost
  readonly #service: string
  readonly #counters = new Map<string, Counter>()
  readonly #histograms = new Map<string, Histogram>()

  constructor(host: ProgramHost, service: string) {
    this.#host = host
    this.#service = service
  }

  createId(digits: 16 | 32): string {
    return Buffer.from(this.#host.random.bytes(digits / 2)).toString('hex')
  }

  count({ counter, histogram, labels, outcome, seconds }: Observation): void {
    const ofCounter = { ...labels, ...outcome }
    const counterKey = counter + toText(ofCounter)
    const counted = this.#counters.get(counterKey) ?? { name: counter, labels: ofCounter, value: 0 }
    this.#counters.set(counterKey, counted)
    counted.value += 1
    const key = histogram + toText(labels)
    const found = this.#histograms.get(key) ?? {
      name: histogram,
      labels,
      buckets: BOUNDS.map(() => 0),
      count: 0,
      sum: 0,
    }
    this.#histograms.set(key, found)
    for (const [at, bound] of BOUNDS.entries()) if (seconds <= bound) found.buckets[at]! += 1
    found.count += 1
    found.sum += seconds
  }

  /** In Prometheus format. */
  text(): string {
    const lines: string[] = []
    for (const { name, labels, value } of this.#counters.values())
      lines.push(`${name}${toText(labels)} ${value}`)
    for (const { name, labels, buckets, count, sum } of this.#histograms.values()) {
      for (const [at, bound] of BOUNDS.entries())
        lines.push(`${name}_bucket${toText({ ...labels, le: bound })} ${buckets[at]}`)
      lines.push(`${name}_bucket${toText({ ...labels, le: '+Inf' })} ${count}`)
      lines.push(`${name}_sum${toText(labels)} ${sum.toFixed(6)}`)
      lines.push(`${name}_count${toText(labels)} ${count}`)
    }
    const { cpu, memory } = this.#host
    lines.push(`process_cpu_seconds_total ${(cpu.usedMs() / 1000).toFixed(3)}`)
    lines.push(`process_resident_memory_bytes ${memory.usedBytes()}`)
    return `${lines.join('\n')}\n`
  }

  exportSpan({ context, parentId, name, kind, start, failure, peer, attributes = {} }: SpanOptions): void {
    const { time, environment } = this.#host
    this.#host.exportSpan({
      ...context,
      ...defined({ parentId }),
      name,
      service: this.#service,
      pod: environment.HOSTNAME ?? '',
      kind,
      start,
      durationMs: time.now() - start,
      status: failure === undefined ? 'ok' : 'error',
      ...defined({ message: failure, peer }),
      attributes,
    })
  }
}
