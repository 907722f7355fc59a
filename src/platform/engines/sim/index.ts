/** The simulated engine. */
export { createSimEngine } from './create-sim-engine.ts'
