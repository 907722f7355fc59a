/** A whole cluster in one process. */
export {
  type Cluster,
  type ClusterOptions,
  createCluster,
  type ListeningCluster,
  type ListenOptions,
} from './create-cluster.ts'
export { defaultNodes } from './default-nodes.ts'
export { publishDnsService } from './dns-service.ts'
