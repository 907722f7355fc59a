/** The words of Remedium that every room may use: schemas, ports, events and the error catalogue. */
export * from './engine.ts'
export * from './errors.ts'
export * from './kube-api.ts'
export * from './system.ts'
export * from './telemetry.ts'
export * from './topology.ts'
export * from './workload.ts'
