/** Public interface of the stores for tests. */
export * from './fake-store.ts'
