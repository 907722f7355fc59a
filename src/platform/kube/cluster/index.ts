/** Public interface of a whole cluster in one process. */
export type { Cluster, ClusterOptions, ListeningCluster, ListenOptions } from './cluster-options.ts'
export { createCluster } from './create-cluster.ts'
export { defaultNodes } from './default-nodes.ts'
export { publishDnsService } from './publish-dns-service.ts'
