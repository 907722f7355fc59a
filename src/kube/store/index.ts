/** Objects, resource versions and watches, in memory. */
export type { Change } from './shelf.ts'
export * from './store.ts'
