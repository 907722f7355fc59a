/** Telemetry of a running system: signals, and the port for queries. */
import type { Edge } from './topology.ts'
import type { JourneyRecord, RequestRecord } from './workload.ts'

/** Milliseconds since the epoch. */
export interface TimeRange {
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

/** A flattened OpenTelemetry span. Times are in milliseconds since the epoch, with fractions. */
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
  /** The reason for an error. */
  readonly message?: string
  /** Client and producer spans: the called service, by its name in the topology. */
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

/** One sample of a series, named as in Prometheus. */
export interface MetricSample {
  readonly time: number
  readonly name: string
  /** With `service` and `pod` if the series belongs to one. */
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
  /** The name of the rule: `JourneyErrorBudgetBurn`. */
  readonly name: string
  readonly severity: 'page' | 'ticket'
  readonly labels: Readonly<Record<string, string>>
  readonly summary: string
  readonly raised: number
  /** Absent while the alert is active. */
  readonly cleared?: number
}

/** Statistics of the requests that a service served, or of the calls of an edge. */
export interface RequestStatistics {
  readonly count: number
  /** Per second. */
  readonly rate: number
  readonly errors: number
  /** 0 to 1; 0 without requests. */
  readonly errorRate: number
  /** Milliseconds; absent without requests. */
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
  /** The maximum number of items, of which the newest are returned; 100 by default. */
  readonly limit?: number
}

/** The port for queries. Queries for unknown times or services return empty results. */
export interface TelemetryQuery {
  /** The time range from the first to the last signal. */
  extent(): Promise<TimeRange | undefined>
  /** The names of services with signals, sorted. */
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
  /** The spans of a trace in order of start, at most as many as the backend returns at once. */
  trace(traceId: string): Promise<readonly Span[]>
  /** One example for each distinct failure (service, endpoint, message), the most frequent first. */
  errorSamples(
    filter?: SignalFilter,
  ): Promise<readonly { readonly count: number; readonly last: number; readonly span: Span }[]>
  /** Statistics of served requests, from spans. */
  endpoints(filter?: SignalFilter): Promise<readonly EndpointStatistics[]>
  /** The observed call graph. */
  graph(range?: TimeRange): Promise<readonly EdgeStatistics[]>
  journeys(range?: TimeRange): Promise<readonly JourneyStatistics[]>
  /** The names of all series. */
  metricNames(range?: TimeRange): Promise<readonly string[]>
  /** Samples of one metric with matching labels, in order of time. */
  metric(
    name: string,
    filter?: SignalFilter & { readonly labels?: Readonly<Record<string, string>> },
  ): Promise<readonly MetricSample[]>
  events(filter?: SignalFilter & { readonly type?: 'Normal' | 'Warning' }): Promise<readonly ClusterEvent[]>
  alerts(filter?: { readonly range?: TimeRange; readonly active?: boolean }): Promise<readonly Alert[]>
}

/** The result of an SQL query. */
export interface SqlAnswer {
  readonly columns: readonly string[]
  readonly rows: readonly Readonly<Record<string, string | number | null>>[]
  /** Whether rows were omitted: the limits are 10,000 rows and 32 MiB. */
  readonly truncated: boolean
}

/** Receives signals. Never blocks and never fails: excess signals are dropped and counted. */
export interface TelemetrySink {
  spans(batch: readonly Span[]): void
  logs(batch: readonly LogLine[]): void
  metrics(batch: readonly MetricSample[]): void
  events(batch: readonly ClusterEvent[]): void
  requests(batch: readonly RequestRecord[]): void
  journeys(batch: readonly JourneyRecord[]): void
  alert(alert: Alert): void
}

/** The usage of a container since its start, and its limits. */
export interface ContainerReading {
  readonly cpuSeconds: number
  /** Periods of the CPU quota; 0 without a quota. */
  readonly cpuPeriods: number
  readonly cpuThrottledPeriods: number
  readonly cpuThrottledSeconds: number
  /** Bytes, without reclaimable file cache. */
  readonly memoryWorkingSet: number
  /** Bytes; absent without a limit. */
  readonly memoryLimit?: number
  readonly readBytes: number
  readonly writtenBytes: number
}

/** Network traffic of a pod. */
export interface NetworkReading {
  readonly receivedBytes: number
  readonly sentBytes: number
  readonly receiveDropped: number
  readonly sendDropped: number
}

export interface PodReading {
  /** The running containers, by name. */
  readonly containers: Readonly<Record<string, ContainerReading>>
  readonly network?: NetworkReading
}

/** The port for the usage of containers. Cheap enough to be read every second. */
export interface ContainerStatistics {
  /** Returns undefined for a pod without containers on this engine. */
  read(podUid: string): PodReading | undefined
}

/** The usage and the size of the volume of a claim. */
export interface VolumeReading {
  /** The name of the claim. */
  readonly claim: string
  readonly usedBytes: number
  readonly capacityBytes: number
}

/** The port for the usage of volumes. Reading visits every file, so it should be rare. */
export interface VolumeStatistics {
  /** Returns a reading for each claim of the namespace that has a volume. */
  read(namespace: string): Promise<readonly VolumeReading[]>
}
