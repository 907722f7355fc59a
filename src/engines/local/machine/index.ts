/** What a machine has for local clusters, and what it keeps of them. */

export { isAlive, isNumberedHere, type ProcessIdentity, thisProcess } from '../../../linux/index.ts'
export * from './cluster-folder.ts'
export * from './kernel-features.ts'
export * from './needed-programs.ts'
export { noteOutsideFile } from './outside-file.ts'
export * from './prune-clusters.ts'
export * from './remove-cluster.ts'
export * from './state-folder.ts'
