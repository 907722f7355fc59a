/** Signals of a running system: collected, kept in one file, asked for, and what they alert of. */
export { type OpenTelemetry, openTelemetry } from './query/open-telemetry.ts'
export type { SqlAnswer, SqlParameter, SqlRow } from './query/sql-request.ts'
export {
  createTelemetryStore,
  type TelemetryStore,
  type TelemetryStoreOptions,
} from './store/create-telemetry-store.ts'
