/** What can be known of a running system from outside: signals, and the port through which they are asked for. */
import type { Edge } from './topology.ts'
import type { JourneyRecord, RequestRecord } from './workload.ts'

/** Milliseconds since the epoch. */
export interface TimeRange {
  readonly from: number
  /** Not included. */
  readonly to: number
}

/** A span as OpenTelemetry has it, flat. Times are milliseconds since the epoch, with fractions. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentId?: string
  /** The operation: `GET /hello`, `hipstershop.CartService/GetCart`, `SELECT orders`. */
  readonly name: string
  readonly service: string
  readonly pod: string
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal'
  readonly start: number
  readonly durationMs: number
  readonly status: 'ok' | 'error'
  /** Why, of those in error. */
  readonly message?: string
  /** Of client and producer spans: whom it called, by the name of the topology. */
  readonly peer?: string
  readonly attributes: Readonly<Record<string, string | number | boolean>>
}

export type Severity = 'debug' | 'info' | 'warn' | 'error'

export interface LogLine {
  readonly time: number
  readonly namespace: string
  readonly service: string
  readonly pod: string
  readonly container: string
  readonly severity: Severity
  readonly text: string
}

/** One value of one series, named as Prometheus names it. */
export interface MetricSample {
  readonly time: number
  readonly name: string
  /** Always with `service` and `pod` where it is about one. */
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface ClusterEvent {
  readonly time: number
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  /** `Pod/cartservice-6d4f...` */
  readonly object: string
  readonly service?: string
  readonly message: string
  readonly count: number
}

export interface Alert {
  /** Of the rule: `JourneyErrorBudgetBurn`. */
  readonly name: string
  readonly severity: 'page' | 'ticket'
  readonly labels: Readonly<Record<string, string>>
  readonly summary: string
  readonly raised: number
  /** Absent while it still holds. */
  readonly cleared?: number
}

/** Of the requests that a service served, or that went over an edge. */
export interface RequestStatistics {
  readonly count: number
  /** A second. */
  readonly rate: number
  readonly errors: number
  /** 0 to 1; 0 where there were none. */
  readonly errorRate: number
  /** Milliseconds; absent where there were none. */
  readonly p50?: number
  readonly p95?: number
  readonly p99?: number
}

export interface EndpointStatistics extends RequestStatistics {
  readonly service: string
  readonly endpoint: string
}

export interface EdgeStatistics extends RequestStatistics, Edge {}

export interface JourneyStatistics extends RequestStatistics {
  readonly journey: string
}

export interface SignalFilter {
  readonly range?: TimeRange
  readonly services?: readonly string[]
  /** The newest so many; 100 where absent. */
  readonly limit?: number
}

/** The port: whatever keeps telemetry answers these. Times and services that nobody knows give empty answers. */
export interface TelemetryQuery {
  /** From the first to the last signal there is. */
  extent(): Promise<TimeRange | undefined>
  /** Those that any signal came from, sorted. */
  services(range?: TimeRange): Promise<readonly string[]>
  logs(
    filter?: SignalFilter & {
      readonly severity?: Severity
      readonly contains?: string
      readonly pod?: string
    },
  ): Promise<readonly LogLine[]>
  spans(
    filter?: SignalFilter & {
      readonly errors?: boolean
      readonly slowerThanMs?: number
      readonly operation?: string
    },
  ): Promise<readonly Span[]>
  /** The spans of one trace by start, as many as the backend gives at once. */
  trace(traceId: string): Promise<readonly Span[]>
  /** One example for each different failure (service, endpoint, message), the most frequent first. */
  errorSamples(
    filter?: SignalFilter,
  ): Promise<readonly { readonly count: number; readonly last: number; readonly span: Span }[]>
  /** Of the requests served, from the spans. */
  endpoints(filter?: SignalFilter): Promise<readonly EndpointStatistics[]>
  /** Who called whom. */
  graph(range?: TimeRange): Promise<readonly EdgeStatistics[]>
  journeys(range?: TimeRange): Promise<readonly JourneyStatistics[]>
  /** The names of the series there are. */
  metricNames(range?: TimeRange): Promise<readonly string[]>
  /** Samples of one metric, those whose labels equal, by time. */
  metric(
    name: string,
    filter?: SignalFilter & { readonly labels?: Readonly<Record<string, string>> },
  ): Promise<readonly MetricSample[]>
  events(filter?: SignalFilter & { readonly type?: 'Normal' | 'Warning' }): Promise<readonly ClusterEvent[]>
  alerts(filter?: { readonly range?: TimeRange; readonly active?: boolean }): Promise<readonly Alert[]>
}

/** What a query in SQL gives. */
export interface SqlAnswer {
  readonly columns: readonly string[]
  readonly rows: readonly Readonly<Record<string, string | number | null>>[]
  /** Whether there would be more rows than are given: 10,000, or 32 MiB. */
  readonly truncated: boolean
}

/** Where signals go. Never waits, never fails: what is too much is dropped and counted. */
export interface TelemetrySink {
  spans(batch: readonly Span[]): void
  logs(batch: readonly LogLine[]): void
  metrics(batch: readonly MetricSample[]): void
  events(batch: readonly ClusterEvent[]): void
  requests(batch: readonly RequestRecord[]): void
  journeys(batch: readonly JourneyRecord[]): void
  alert(alert: Alert): void
}

/** What a container has used since it was started, and what it may use. */
export interface ContainerReading {
  readonly cpuSeconds: number
  /** Of the periods in which a CPU quota is counted; 0 where there is none. */
  readonly cpuPeriods: number
  readonly cpuThrottledPeriods: number
  readonly cpuThrottledSeconds: number
  /** Bytes, without the file cache that could be given back. */
  readonly memoryWorkingSet: number
  /** Bytes; absent where there is none. */
  readonly memoryLimit?: number
  readonly readBytes: number
  readonly writtenBytes: number
}

/** What went through the network of a pod. */
export interface NetworkReading {
  readonly receivedBytes: number
  readonly sentBytes: number
  readonly receiveDropped: number
  readonly sendDropped: number
}

export interface PodReading {
  /** By name; those that run now. */
  readonly containers: Readonly<Record<string, ContainerReading>>
  readonly network?: NetworkReading
}

/** The port through which an engine tells what containers use. Cheap enough to be asked every second or two. */
export interface ContainerStatistics {
  /** Nothing for a pod that has no container here. */
  read(podUid: string): PodReading | undefined
}

/** What lies in the volume of a claim, and what was claimed. */
export interface VolumeReading {
  /** Its name. */
  readonly claim: string
  readonly usedBytes: number
  readonly capacityBytes: number
}

/** The port through which an engine tells how full volumes are. Every file is looked at: to be asked seldom. */
export interface VolumeStatistics {
  /** Of all claims in the namespace that have a volume. */
  read(namespace: string): Promise<readonly VolumeReading[]>
}
