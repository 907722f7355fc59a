/** The network of a cluster: pods, Services, policies and DNS in network namespaces. */
export * from './cluster-network.ts'
export { createClusterNetwork } from './create-cluster-network.ts'
