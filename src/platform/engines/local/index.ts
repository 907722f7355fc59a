/** The local engine. */
export { createLocalEngine } from './create-local-engine.ts'
export type { LocalCluster } from './local-cluster.ts'
