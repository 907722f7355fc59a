/** A small system for tests on real clusters. */
export { SWEEP, smallSystem } from './small-system.ts'
