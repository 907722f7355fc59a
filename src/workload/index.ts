/** What users do: journeys, loads and traces as people write them, and the generator that sends the requests. */
export * from './create-walker.ts'
export type { RecordBatch } from './generator-messages.ts'
export * from './mistakes.ts'
export * from './parse-arrivals.ts'
export { parseJourneys } from './parse-journeys.ts'
export { parseLoad } from './parse-load.ts'
export * from './start-workload.ts'
export * from './walk-all.ts'
