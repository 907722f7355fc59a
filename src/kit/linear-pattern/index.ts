/** Regular expressions in Go's notation, matched in time that grows with the text alone. */
export { type LinearPattern, linearPattern } from './linear-pattern.ts'
export { PatternError } from './pattern-source.ts'
