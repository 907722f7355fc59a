/** The embedded Kubernetes. */
export * from './cluster/index.ts'
export { deployments, pods } from './kinds/index.ts'
export type * from './ports/index.ts'
export { createSimulatedRuntime, everydayImages } from './runtimes/index.ts'
