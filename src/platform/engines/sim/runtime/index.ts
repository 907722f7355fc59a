/** Public interface of the container runtime of simulated programs. */
export { createProgramRuntime } from './create-program-runtime.ts'
export { findProgram } from './processes/find-program.ts'
export type { ProgramImage, ProgramImages } from './program-runtime-options.ts'
export { createSimDisks, type SimDisks } from './sim-disks.ts'
export * from './sim-pods.ts'
