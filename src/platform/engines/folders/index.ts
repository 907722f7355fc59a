/** The folders of clusters on this machine, real or simulated: who owns them, and how they are removed. */
export * from './cluster-folder.ts'
export { recordOutsideFile, removeOutsideFile } from './outside-file.ts'
export {
  moveClusterFolderAside,
  pruneClusterFolders,
  pruneSimulatedClusters,
  removeClusterFolder,
} from './remove-cluster-folder.ts'
export * from './state-folder.ts'
