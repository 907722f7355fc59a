/** Runs a cluster of the engine that the options name. The modules of the local engine load only on Linux. */
import type { ClusterRun } from './run-cluster.ts'
import type { UpOptions } from './up-options.ts'

export const runClusterOf = async (options: UpOptions, run: ClusterRun): Promise<void> => {
  if (options.engine === 'sim') {
    const { runSimSystem } = await import('./run-sim-system.ts')
    return await runSimSystem(options, run)
  }
  const { runLocalCluster } = await import('./run-local-cluster.ts')
  return await runLocalCluster(options, run)
}
