/** Runs a local cluster in this process until it is stopped. */
import { type WriteStream, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defined, waitForStopSignal } from '#kit'
import { recordOutsideFile } from '#platform/engines/folders'
import type { LocalCluster } from '#platform/engines/local'
import { type OpenEntryPoint, RemediumError } from '#spec'
import { loadNamedSystem } from '../systems/load-named-system.ts'
import { createClusterControls } from './cluster-controls.ts'
import { checkKubeconfig, openAuditLog, writeKubeconfig } from './cluster-files.ts'
import { type ControlServer, serveControl } from './control-socket.ts'
import type { UpOptions } from './up-options.ts'

/** Describes a cluster that is ready. */
export interface Announcement {
  readonly name: string
  readonly id: string
  readonly system: string | undefined
  readonly server: string
  readonly kubeconfig: string
  readonly entryPoints: readonly OpenEntryPoint[]
  readonly token: string
  readonly certificateAuthority: string
}

export interface ClusterStatus {
  readonly state: 'starting' | 'ready'
  readonly server?: string
  readonly entryPoints?: readonly OpenEntryPoint[]
  readonly kubeconfig?: string
  readonly pods?: number
  /** The telemetry file of the system. */
  readonly telemetry?: string
}

export interface LocalRun {
  /** Stops the cluster, even while it is starting. */
  readonly signal: AbortSignal
  onProgress(line: string): void
  onError(line: string): void
  onClaim?(folder: string): void
  onReady(announcement: Announcement): void
}

const countPods = async ({ api }: LocalCluster): Promise<number> =>
  (await api.list({ apiVersion: 'v1', plural: 'pods' })).items.length

const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

const statusOf = async (cluster: LocalCluster | undefined, kubeconfig: string): Promise<ClusterStatus> => {
  if (cluster === undefined) return { state: 'starting' }
  const { server, entryPoints, telemetry } = cluster
  const pods = await countPods(cluster)
  return { state: 'ready', server, entryPoints, kubeconfig, pods, ...defined({ telemetry: telemetry?.file }) }
}

const createEngine = async (audit: WriteStream | undefined, run: LocalRun) => {
  const { createLocalEngine } = await import('#platform/engines/local')
  return createLocalEngine({
    onAudit: (event) => audit?.write(`${JSON.stringify(event)}\n`),
    onError: (where, error) =>
      run.onError(`${where}: ${error instanceof Error ? error.stack : String(error)}`),
  })
}

/** The returned signal is aborted by the caller, by an operating-system signal, or by `stop`. */
const createStopSignal = (run: LocalRun): { signal: AbortSignal; stop(): void } => {
  const stopping = new AbortController()
  const stop = (): void =>
    stopping.abort(new RemediumError('interrupted', 'The cluster was stopped while it was starting.'))
  void waitForStopSignal().then(stop)
  void waitForAbort(run.signal).then(stop)
  return { signal: stopping.signal, stop }
}

const writeKubeconfigs = (cluster: LocalCluster, userPath: string | undefined): string => {
  const clusterPath = join(cluster.folder, 'kubeconfig')
  writeFileSync(clusterPath, cluster.kubeconfig, { mode: 0o600 })
  if (userPath === undefined) return clusterPath
  recordOutsideFile(cluster.folder, userPath, cluster.kubeconfig)
  writeKubeconfig(userPath, cluster.kubeconfig)
  return userPath
}

/** Resolves when the cluster has stopped and all its resources are removed. */
export const runLocalCluster = async (options: UpOptions, run: LocalRun): Promise<void> => {
  const system = options.system === undefined ? undefined : await loadNamedSystem(options.system)
  const audit = openAuditLog(options.auditLog)
  const engine = await createEngine(audit, run)
  const { signal, stop } = createStopSignal(run)
  const { promise: closed, resolve: onClosed, reject: onCloseFailed } = Promise.withResolvers<void>()
  closed.catch(() => {})
  let cluster: LocalCluster | undefined
  let control: Promise<ControlServer> | undefined
  const serve = (folder: string): Promise<ControlServer> =>
    serveControl(
      folder,
      createClusterControls({
        system,
        cluster: () => cluster,
        status: () => statusOf(cluster, options.kubeconfig ?? join(folder, 'kubeconfig')),
        stop() {
          stop()
          return closed
        },
      }),
    )
  try {
    cluster = await engine.provision(system, {
      ...defined({ name: options.name, telemetryFile: options.telemetry }),
      seed: options.seed,
      nodes: options.nodes,
      port: options.port,
      signal,
      onProgress: run.onProgress,
      onClaim(folder) {
        run.onClaim?.(folder)
        // By now the leftovers of killed clusters are removed, and no part of this cluster has started.
        if (options.kubeconfig !== undefined) checkKubeconfig(options.kubeconfig)
        control = serve(folder)
        control.catch((error) => run.onError(`control socket: ${String(error)}`))
      },
    })
    const kubeconfig = writeKubeconfigs(cluster, options.kubeconfig)
    const { name, id, server, entryPoints, token, certificateAuthority } = cluster
    run.onReady({
      ...{ name, id, system: system?.name, server, kubeconfig, entryPoints, token, certificateAuthority },
    })
    await waitForAbort(signal)
  } finally {
    const closing = cluster?.close() ?? Promise.resolve()
    await closing.then(onClosed, onCloseFailed)
    audit?.end()
    ;(await control?.catch(() => undefined))?.close()
    await closing
  }
}
