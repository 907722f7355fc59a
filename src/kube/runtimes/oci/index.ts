/** The runtime of real containers. */
export { claimFolder, nodeDisk } from './cluster-folders.ts'
export { measureFolder } from './disk-usage.ts'
export { everydayPrograms } from './everyday-programs.ts'
export { firstOf, type ImageCatalogue, type ImageProgram, type ProgramMount } from './image-catalogue.ts'
export { createOciRuntime } from './oci-runtime.ts'
