/** The everyday programs of simulated containers: a shell, and programs for text, files, processes and the network. */
export { everydayPrograms } from './everyday-programs.ts'
