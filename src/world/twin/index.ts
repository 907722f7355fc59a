/** The twin: the program that every service of a topology runs, bundled for containers, and the file of a service. */
export { packReleases } from '#world/twin/ports'
export { twinProgram } from './twin-program.ts'
