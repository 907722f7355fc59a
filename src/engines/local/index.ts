/** The local engine. */
export { createLocalEngine, type LocalCluster } from './create-local-engine.ts'
