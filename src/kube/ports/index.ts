/** The doors between the parts of the embedded Kubernetes. */
export * from './client.ts'
export * from './runtime.ts'
