/** The container runtimes. */
export * from './simulated/index.ts'
