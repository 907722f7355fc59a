/** The program that runs every service of a topology, bundled for containers, and the file of a service. */
export { packReleases } from '#world/twin/ports'
export { twinProgram } from './twin-program.ts'
