/** Public interface of workers: processes with a cluster each, and the pool that gives them jobs. */
export { cleanUp } from './clean-up.ts'
export { canForkOn, usesMachine } from './engines.ts'
export type { ForkCaller } from './forks/create-fork-caller.ts'
export { createPreparedIncidents, type PreparedIncidents } from './forks/prepared-incidents.ts'
export { type ForkedIncident, serveIncidents } from './forks/serve-incidents.ts'
export { runJobs } from './pool/run-jobs.ts'
export { slotsOf } from './pool/slots-of.ts'
export { type EpisodeWorkerOptions, startEpisodeWorker } from './pool/start-episode-worker.ts'
export {
  createLabClusterKeeper,
  type LabClusterKeeper,
  type OpenedLabCluster,
} from './worker/lab-cluster-keeper.ts'
export type { LabCluster } from './worker/open-lab-cluster.ts'
export { type JobContext, type JobServer, mayHaveBrokenCluster, serveJobs } from './worker/serve-jobs.ts'
export { withHeartbeat } from './worker/with-heartbeat.ts'
export type { Failure } from './worker-messages.ts'
