/** Runs a simulated cluster with a system in this process until it is stopped. Its time is that of the machine, and clients reach it by sockets. */
import { createRealClock } from '#kit'
import {
  claimClusterFolder,
  pruneSimulatedClusters,
  removeClusterFolder,
  stateFolder,
} from '#platform/engines/folders'
import { RemediumError } from '#spec'
import { loadNamedSystem } from '../systems/load-named-system.ts'
import { openAuditLog } from './cluster-files.ts'
import { type ClusterRun, type OpenCluster, runCluster } from './run-cluster.ts'
import { type ServedEntryPoint, serveEntryPoint } from './serve-entry-point.ts'
import type { UpOptions } from './up-options.ts'

const openSimCluster =
  (options: UpOptions, run: ClusterRun, onAudit: (event: object) => void): OpenCluster =>
  async (onClaim, signal) => {
    const { createSimEngine } = await import('#platform/engines/sim')
    const system = await loadNamedSystem(options.system!)
    const state = stateFolder()
    pruneSimulatedClusters(state)
    const claimed = claimClusterFolder(state, {
      engine: 'sim',
      name: options.name,
      system: system.name,
      created: createRealClock().now(),
    })
    const { folder, record } = claimed
    const served: ServedEntryPoint[] = []
    try {
      onClaim(folder)
      const engine = createSimEngine({
        servesClients: true,
        onAudit,
        onError: (where, error) =>
          run.onError(`${where}: ${error instanceof Error ? error.stack : String(error)}`),
      })
      const { seed, nodes, port } = options
      const cluster = await engine.provision(system, {
        ...{ seed, nodes, port, name: record.name, signal, onProgress: run.onProgress },
      })
      const stopTime = cluster.clock.followRealTime()
      const { connectUser, listening } = cluster
      if (connectUser === undefined || listening === undefined)
        throw new RemediumError('defect', 'The simulated cluster has no sockets.')
      for (const entryPoint of cluster.entryPoints)
        served.push(await serveEntryPoint({ connectUser }, entryPoint))
      return {
        ...cluster,
        id: record.id,
        folder,
        entryPoints: cluster.entryPoints.map(({ name }, index) => ({ name, url: served[index]!.url })),
        token: listening.token,
        certificateAuthority: listening.certificateAuthority,
        async close() {
          for (const one of served) one.close()
          await cluster.close()
          stopTime()
          removeClusterFolder(state, claimed)
        },
      }
    } catch (error) {
      for (const one of served) one.close()
      removeClusterFolder(state, claimed)
      throw error
    }
  }

/** Resolves when the cluster has stopped and its folder is removed. */
export const runSimSystem = async (options: UpOptions, run: ClusterRun): Promise<void> => {
  const system = await loadNamedSystem(options.system!)
  const audit = openAuditLog(options.auditLog)
  const { kubeconfig } = options
  try {
    await runCluster(
      { system, kubeconfig },
      run,
      openSimCluster(options, run, (event) => audit?.write(`${JSON.stringify(event)}\n`)),
    )
  } finally {
    audit?.end()
  }
}
