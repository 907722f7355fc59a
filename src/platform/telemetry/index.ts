/** Telemetry of a running system: collectors, stores in a file and in memory, queries and alerts. */

export { createDirectSpans } from './collect/direct-spans.ts'
export type { FollowLogs } from './collect/log-collector.ts'
export type { ReadMetrics } from './collect/read-metrics.ts'
export { type ConnectToPod, readMetricsOverHttp } from './collect/read-metrics-over-http.ts'
export { createSpanSockets, makePodSocketFolder } from './collect/span-sockets.ts'
export { createTelemetry } from './create-telemetry.ts'
export { type OpenTelemetry, openTelemetry } from './query/open-telemetry.ts'
export { createTelemetryStore } from './store/create-telemetry-store.ts'
export { createMemoryTelemetryStore } from './store/memory/create-memory-telemetry-store.ts'
