/** The kubelet, and what the API server asks of the nodes. */
export { createKubelet, type Kubelet, type KubeletOptions } from './kubelet.ts'
export { createNodeRegistry, type NodeRegistry } from './node-registry.ts'
export type { NodeFacts, Pressure } from './node-status.ts'
export { type NodeMetrics, nodeMetrics, type PodMetrics, podMetrics } from './usage-metrics.ts'
