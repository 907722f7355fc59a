/** Public interface of the decisions which file operations a fault affects, and how. Loads no code for real processes. */
export * from './effects.ts'
export { parseGlob } from './parse-glob.ts'
