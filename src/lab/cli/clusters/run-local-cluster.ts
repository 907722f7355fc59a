/** Runs a local cluster in this process until it is stopped. */
import { defined } from '#kit'
import { loadNamedSystem } from '../systems/load-named-system.ts'
import { openAuditLog } from './cluster-files.ts'
import { type ClusterRun, runCluster } from './run-cluster.ts'
import type { UpOptions } from './up-options.ts'

/** Resolves when the cluster has stopped and all its resources are removed. */
export const runLocalCluster = async (options: UpOptions, run: ClusterRun): Promise<void> => {
  const system = options.system === undefined ? undefined : await loadNamedSystem(options.system)
  const audit = openAuditLog(options.auditLog)
  const { createLocalEngine } = await import('#platform/engines/local')
  const engine = createLocalEngine({
    onAudit: (event) => audit?.write(`${JSON.stringify(event)}\n`),
    onError: (where, error) =>
      run.onError(`${where}: ${error instanceof Error ? error.stack : String(error)}`),
  })
  const { seed, nodes, port, kubeconfig } = options
  try {
    await runCluster({ system, kubeconfig }, run, (onClaim, signal) =>
      engine.provision(system, {
        ...defined({ name: options.name, telemetryFile: options.telemetry }),
        ...{ seed, nodes, port, signal, onProgress: run.onProgress, onClaim },
      }),
    )
  } finally {
    audit?.end()
  }
}
