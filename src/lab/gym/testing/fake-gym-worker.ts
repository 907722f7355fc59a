/** The program of a worker of the gym without clusters, for tests. */
import { type LabCluster, type LabClusterKeeper, serveJobs } from '#lab/workers'
import { createSessionServer } from '../worker/serve-sessions.ts'
import { createFakeIncident, FAKE_CLUSTER } from './fake-incident.ts'

const createKeeper = (): LabClusterKeeper => ({
  async open({ problem }) {
    const laboratory = { prepare: async () => createFakeIncident(problem) }
    const labCluster = { cluster: FAKE_CLUSTER, laboratory, system: problem.system } as unknown as LabCluster
    return { labCluster, provisionMs: 0 }
  },
  checkClock() {},
  async restore() {},
  async close() {},
})

serveJobs(createSessionServer({ loadFaults: async () => new Map(), createKeeper }))
