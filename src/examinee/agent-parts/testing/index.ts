/** A fake context for tests of agents. */
export * from './fake-context.ts'
