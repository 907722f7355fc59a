/** Objects, resource versions and watches, in memory. */
export type { Change } from './change.ts'
export * from './store.ts'
