/** The workload of users: parses journeys, loads and traces, and generates the requests. */

export type { RecordBatch } from './generator/generator-messages.ts'
export { startInProcessWorkload } from './generator/start-in-process-workload.ts'
export * from './generator/start-workload.ts'
export * from './journeys/create-journey-runner.ts'
export * from './journeys/run-all-journeys.ts'
export * from './parsing/fail-with.ts'
export { loadSchema } from './parsing/load-schema.ts'
export * from './parsing/parse-arrivals.ts'
export { parseJourneys } from './parsing/parse-journeys.ts'
export { parseLoad } from './parsing/parse-load.ts'
