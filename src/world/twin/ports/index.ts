/** The interfaces between the behaviour of a twin, its protocols, and the process that runs it. */
export * from './call-failure.ts'
export * from './instrumentation.ts'
export * from './registry-protocol.ts'
export * from './service-protocol.ts'
export * from './sleep.ts'
export * from './slice-file.ts'
export * from './store-protocol.ts'
export * from './twin-host.ts'
