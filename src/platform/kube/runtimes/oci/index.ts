/** The runtime that runs containers as real processes. */

export {
  combineCatalogues,
  type ImageCatalogue,
  type ImageProgram,
  type ProgramMount,
} from './images/image-catalogue.ts'
export { wellKnownImages } from './images/well-known-images.ts'
export { createOciRuntime } from './oci-runtime.ts'
export { claimFolder, nodeDisk } from './pods/cluster-folders.ts'
export { measureFolder } from './statistics/disk-usage.ts'
