/** Checks whether this machine can run local clusters, and claims, lists, prunes and removes their folders. */

export { isAlive, isInThisPidNamespace, type ProcessIdentity, thisProcess } from '#machine/linux'
export * from './cluster-folder.ts'
export * from './kernel-features.ts'
export { recordOutsideFile } from './outside-file.ts'
export * from './prune-clusters.ts'
export * from './remove-cluster.ts'
export * from './required-programs.ts'
export * from './state-folder.ts'
