/** What users do: journeys, loads and traces as people write them, and the generator that sends the requests. */
export * from './parse-arrivals.ts'
export * from './parse-journeys.ts'
export * from './parse-load.ts'
