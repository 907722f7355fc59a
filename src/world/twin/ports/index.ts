/** The interfaces between the behaviour of a twin and its protocols. */
export * from './call-failure.ts'
export * from './instrumentation.ts'
export * from './service-protocol.ts'
export * from './slice-file.ts'
export * from './store-protocol.ts'
