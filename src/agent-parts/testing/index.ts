/** A world for agents in tests. */
export * from './fake-context.ts'
