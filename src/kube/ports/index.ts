/** The doors between the parts of the embedded Kubernetes. */
export * from './admission.ts'
export * from './auth.ts'
export * from './client.ts'
export * from './node-directory.ts'
export * from './runtime.ts'
export * from './user.ts'
