/** The network of a cluster: pods, Services, policies and names, in namespaces of their own. */
export * from './cluster-network.ts'
export { createClusterNetwork } from './create-cluster-network.ts'
