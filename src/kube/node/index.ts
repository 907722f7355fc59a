/** The kubelet, and what the API server asks of the nodes. */
export { createKubelet, type Kubelet } from './kubelet.ts'
export { createNodeRegistry } from './node-registry.ts'
export type { NodeFacts } from './node-status.ts'
export type { StorageAllowance } from './storage-limits.ts'
export { nodeMetrics, podMetrics } from './usage-metrics.ts'
