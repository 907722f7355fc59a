/** Public interface for tests of the lab shelf: example runs and records, and a scripted worker. */
export * from './example-record.ts'
export * from './example-run.ts'
export * from './scripted-worker-program.ts'
