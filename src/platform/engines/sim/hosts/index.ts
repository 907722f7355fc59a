/** Public interface of the models of a simulated container's resources: CPU, memory, files, time, random numbers. */

export type { ContainerFiles } from './container-files.ts'
export type { ContainerStress } from './container-stress.ts'
export { copyVolume, isSameVolume, restoreVolume, type VolumeCopy } from './copy-volume.ts'
export * from './create-container-resources.ts'
export { measureDisk } from './measure-disk.ts'
export type { Mount } from './mount-table.ts'
export { createNodeLoad, type NodeLoad } from './node-load.ts'
export {
  addFile,
  addFolders,
  createVolume,
  type FileSource,
  parentOf,
  readVolumeFile,
  replaceFiles,
  usedBytesOf,
  type Volume,
} from './volume.ts'
