/** The twin, bundled for containers, and the files that hold the slices of services. */
export { packReleases } from '#world/twin/ports'
export { twinProgram } from './twin-program.ts'
