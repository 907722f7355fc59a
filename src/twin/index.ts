/** The door of the twin: the program that every service of a topology runs, as files that containers can be given, and what they get to know. */
export { packReleases } from './ports/index.ts'
export { twinProgram } from './twin-program.ts'
