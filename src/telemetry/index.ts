/** Signals of a running system: collected, kept in one file, asked for, and what they alert of. */
export { type AlertRule, type AlertView, defineAlertRule } from './alerts/alert-rule.ts'
export { DEFAULT_RULES } from './alerts/default-rules.ts'
export type { FollowLogs } from './collect/collect-logs.ts'
export type { ConnectToPod } from './collect/scrape-pods.ts'
export { makePodSocketFolder } from './collect/span-sockets.ts'
export { createTelemetry, type Telemetry, type TelemetryOptions } from './create-telemetry.ts'
export { createHttpTelemetry, type HttpTelemetryOptions } from './http/create-http-telemetry.ts'
export { type OpenTelemetry, openTelemetry } from './query/open-telemetry.ts'
export type { SqlParameter, SqlRow } from './query/sql-request.ts'
export {
  createTelemetryStore,
  type TelemetryStore,
  type TelemetryStoreOptions,
} from './store/create-telemetry-store.ts'
