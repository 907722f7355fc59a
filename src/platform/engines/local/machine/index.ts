/** Checks whether this machine can run local clusters, and claims, prunes and removes what they keep on it. */
export { cgroupOf, claimLocalCluster, markerOf } from './claim-local-cluster.ts'
export * from './kernel-features.ts'
export * from './prune-clusters.ts'
export * from './remove-cluster.ts'
export * from './required-programs.ts'
