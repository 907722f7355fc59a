/** The kubelet, and the node data that the API server serves. */
export { createKubelet, type Kubelet } from './kubelet.ts'
export { createNodeRegistry } from './node-registry.ts'
export type { NodeFacts } from './node-status.ts'
export { nodeMetrics, podMetrics } from './usage-metrics.ts'
export type { StorageAllowance } from './volumes/storage-limits.ts'
