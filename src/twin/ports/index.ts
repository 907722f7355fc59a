/** The contracts inside the twin: between what a service does and the wires it does it over. */
export * from './call-failure.ts'
export * from './service-wire.ts'
export * from './slice-file.ts'
export * from './store-wire.ts'
export * from './watch.ts'
