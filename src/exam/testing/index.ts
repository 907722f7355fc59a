/** Public interface for tests of other rooms: stores, and a fake cluster with a store. */
export * from './fake-store.ts'
