/** The door of the twin: the program that every service of a topology runs, as files that containers can be given. */
export { twinProgram } from './twin-program.ts'
