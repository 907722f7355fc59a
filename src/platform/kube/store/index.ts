/** The in-memory store: objects, resource versions and change listeners. */
export type { Change } from './change.ts'
export * from './store.ts'
