/** Public interface of the container runtime of simulated programs. */
export type { ProgramImage, ProgramImages, ProgramRuntimeOptions } from './program-runtime-options.ts'
export { createSimDisks, type DiskCopies, type SimDisks } from './sim-disks.ts'
export * from './sim-pods.ts'
