/** The local engine. */
export {
  createLocalEngine,
  type LocalCluster,
  type LocalEngine,
  type LocalEngineOptions,
} from './create-local-engine.ts'
