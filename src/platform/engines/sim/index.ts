/** The simulated engine. */
export { createSimEngine } from './create-sim-engine.ts'
export type { SimCluster, SimEngine, SimEngineOptions } from './sim-cluster.ts'
