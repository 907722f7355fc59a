/** The machine under local clusters: requirements, folders of clusters, and their removal. */

export { isAlive, isInThisPidNamespace, type ProcessIdentity, thisProcess } from '#machine/linux'
export * from './cluster-folder.ts'
export * from './kernel-features.ts'
export { recordOutsideFile } from './outside-file.ts'
export * from './prune-clusters.ts'
export * from './remove-cluster.ts'
export * from './required-programs.ts'
export * from './state-folder.ts'
