/** Public interface of the effects of objects: calls that policies allow, values that pods read. Pure functions of recorded objects. */

export * from './fingerprint.ts'
export * from './network/endpoints.ts'
export * from './network/find-denied-calls.ts'
export * from './network/find-restricted-services.ts'
export * from './network/live-edges.ts'
export * from './network/network-access.ts'
export * from './pods/config-data.ts'
export * from './pods/environment.ts'
export * from './pods/files.ts'
export * from './pods/programs-of.ts'
export * from './pods/resolve-template.ts'
export * from './pods/service-variables.ts'
