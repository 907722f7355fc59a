/** Public interface of the modelled network of a simulated cluster. */
export { createSimNetwork } from './create-sim-network.ts'
export type * from './sim-network.ts'
