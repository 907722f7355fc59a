/** Runs agents in tests, without a system. */
export * from './play.ts'
