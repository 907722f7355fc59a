/** Signals of a running system: collected, kept in one file, asked for, and what they alert of. */
export type { FollowLogs } from './collect/collect-logs.ts'
export type { ConnectToPod } from './collect/scrape-pods.ts'
export { makePodSocketFolder } from './collect/span-sockets.ts'
export { createTelemetry } from './create-telemetry.ts'
export { type OpenTelemetry, openTelemetry } from './query/open-telemetry.ts'
export { createTelemetryStore } from './store/create-telemetry-store.ts'
