/** Runs a cluster of an engine in this process until it is stopped: its control socket, its kubeconfigs and its end. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defined, waitForStopSignal } from '#kit'
import { recordOutsideFile } from '#platform/engines/folders'
import { type OpenEntryPoint, RemediumError, type System } from '#spec'
import { createClusterControls } from './cluster-controls.ts'
import { checkKubeconfig, writeKubeconfig } from './cluster-files.ts'
import { type ControlServer, serveControl } from './control-socket.ts'
import type { ControlledCluster } from './controlled-cluster.ts'

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

export interface ClusterRun {
  /** Stops the cluster, even while it is starting. */
  readonly signal: AbortSignal
  onProgress(line: string): void
  onError(line: string): void
  onClaim?(folder: string): void
  onReady(announcement: Announcement): void
}

/** A cluster that clients outside this process can reach. */
export interface ReachableCluster extends ControlledCluster {
  readonly folder: string
  /** The token of the administrator. */
  readonly token: string
  /** PEM. */
  readonly certificateAuthority: string
}

/** Provisions a cluster. `claim` must be called when its folder is claimed, before any part of the cluster starts. */
export type OpenCluster = (claim: (folder: string) => void, signal: AbortSignal) => Promise<ReachableCluster>

const countPods = async ({ api }: ReachableCluster): Promise<number> =>
  (await api.list({ apiVersion: 'v1', plural: 'pods' })).items.length

const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

const statusOf = async (
  cluster: ReachableCluster | undefined,
  kubeconfig: string,
): Promise<ClusterStatus> => {
  if (cluster === undefined) return { state: 'starting' }
  const { server, entryPoints, telemetry } = cluster
  const pods = await countPods(cluster)
  return { state: 'ready', server, entryPoints, kubeconfig, pods, ...defined({ telemetry: telemetry?.file }) }
}

/** The returned signal is aborted by the caller, by an operating-system signal, or by `stop`. */
const createStopSignal = (run: ClusterRun): { signal: AbortSignal; stop(): void } => {
  const stopping = new AbortController()
  const stop = (): void =>
    stopping.abort(new RemediumError('interrupted', 'The cluster was stopped while it was starting.'))
  void waitForStopSignal().then(stop)
  void waitForAbort(run.signal).then(stop)
  return { signal: stopping.signal, stop }
}

const writeKubeconfigs = (cluster: ReachableCluster, userPath: string | undefined): string => {
  const clusterPath = join(cluster.folder, 'kubeconfig')
  writeFileSync(clusterPath, cluster.kubeconfig, { mode: 0o600 })
  if (userPath === undefined) return clusterPath
  recordOutsideFile(cluster.folder, userPath, cluster.kubeconfig)
  writeKubeconfig(userPath, cluster.kubeconfig)
  return userPath
}

/** Resolves when the cluster has stopped and all its resources are removed. */
export const runCluster = async (
  {
    system,
    kubeconfig: userPath,
  }: { readonly system: System | undefined; readonly kubeconfig: string | undefined },
  run: ClusterRun,
  open: OpenCluster,
): Promise<void> => {
  const { signal, stop } = createStopSignal(run)
  const { promise: closed, resolve: onClosed, reject: onCloseFailed } = Promise.withResolvers<void>()
  closed.catch(() => {})
  let cluster: ReachableCluster | undefined
  let control: Promise<ControlServer> | undefined
  const serve = (folder: string): Promise<ControlServer> =>
    serveControl(
      folder,
      createClusterControls({
        system,
        cluster: () => cluster,
        status: () => statusOf(cluster, userPath ?? join(folder, 'kubeconfig')),
        stop() {
          stop()
          return closed
        },
      }),
    )
  const claim = (folder: string): void => {
    run.onClaim?.(folder)
    // By now the leftovers of killed clusters are removed, and no part of this cluster has started.
    if (userPath !== undefined) checkKubeconfig(userPath)
    control = serve(folder)
    control.catch((error) => run.onError(`control socket: ${String(error)}`))
  }
  try {
    cluster = await open(claim, signal)
    const kubeconfig = writeKubeconfigs(cluster, userPath)
    const { name, id, server, entryPoints, token, certificateAuthority } = cluster
    run.onReady({
      ...{ name, id, system: system?.name, server, kubeconfig, entryPoints, token, certificateAuthority },
    })
    await waitForAbort(signal)
  } finally {
    const closing = cluster?.close() ?? Promise.resolve()
    await closing.then(onClosed, onCloseFailed)
    ;(await control?.catch(() => undefined))?.close()
    await closing
  }
}
