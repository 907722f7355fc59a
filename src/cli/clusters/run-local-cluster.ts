/** A local cluster in this process, from its start until somebody ends it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LocalCluster } from '../../engines/local/index.ts'
import { noteOutsideFile } from '../../engines/local/machine/index.ts'
import { type OpenEntryPoint, RemediumError } from '../../spec/index.ts'
import { loadNamedSystem } from '../systems/load-named-system.ts'
import { askedToEnd } from './asked-to-end.ts'
import { checkKubeconfig, openAuditLog, writeKubeconfig } from './cluster-files.ts'
import { type ControlServer, serveControl, type UserRecords } from './control-socket.ts'
import { createManualFaults, type ManualFaults } from './manual-faults.ts'
import { setNodeState } from './node-state.ts'
import type { UpOptions } from './up-options.ts'

/** What is told of a cluster that is ready. */
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
  /** The file with what is known of the system. */
  readonly telemetry?: string
}

export interface LocalRun {
  /** Ends the cluster, or gives up starting it. */
  readonly signal: AbortSignal
  onProgress(line: string): void
  onError(line: string): void
  onClaim?(folder: string): void
  onReady(announcement: Announcement): void
}

const countPods = async ({ api }: LocalCluster): Promise<number> =>
  (await api.list({ apiVersion: 'v1', plural: 'pods' })).items.length

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Resolves when the cluster was ended and nothing of it is left. */
export const runLocalCluster = async (options: UpOptions, run: LocalRun): Promise<void> => {
  const { createLocalEngine } = await import('../../engines/local/index.ts')
  const system = options.system === undefined ? undefined : await loadNamedSystem(options.system)
  const audit = openAuditLog(options.auditLog)
  const engine = createLocalEngine({
    onAudit: (event) => audit?.write(`${JSON.stringify(event)}\n`),
    onError: (where, error) =>
      run.onError(`${where}: ${error instanceof Error ? error.stack : String(error)}`),
  })
  const asked = new AbortController()
  const end = (): void =>
    asked.abort(new RemediumError('interrupted', 'The cluster was ended while it started.'))
  void askedToEnd().then(end)
  void whenAborted(run.signal).then(end)
  let cluster: LocalCluster | undefined
  let control: Promise<ControlServer> | undefined
  let manual: ManualFaults | undefined
  const faultsOf = (ready: LocalCluster): ManualFaults => {
    if (system === undefined)
      throw new RemediumError('bad-argument', 'There is no system on the cluster that could be broken.', {
        hint: 'Start one with "remedium cluster up --system SYSTEM".',
      })
    manual ??= createManualFaults(ready, system)
    return manual
  }
  const { promise: closed, resolve: tellClosed, reject: tellFailed } = Promise.withResolvers<void>()
  closed.catch(() => {})

  const status = async (kubeconfig: string): Promise<ClusterStatus> => {
    if (cluster === undefined) return { state: 'starting' }
    const { server, entryPoints, telemetry } = cluster
    const file = telemetry === undefined ? {} : { telemetry: telemetry.file }
    return { state: 'ready', server, entryPoints, kubeconfig, pods: await countPods(cluster), ...file }
  }
  try {
    cluster = await engine.provision(system, {
      ...(options.name === undefined ? {} : { name: options.name }),
      seed: options.seed,
      nodes: options.nodes,
      port: options.port,
      signal: asked.signal,
      ...(options.telemetry === undefined ? {} : { telemetryFile: options.telemetry }),
      onProgress: run.onProgress,
      onClaim(folder) {
        run.onClaim?.(folder)
        // Now, when what dead clusters have left is gone, and nothing of this one has been started.
        if (options.kubeconfig !== undefined) checkKubeconfig(options.kubeconfig)
        control = serveControl(folder, async (request) => {
          const { command } = request
          if (command === 'status') return await status(options.kubeconfig ?? join(folder, 'kubeconfig'))
          if (command === 'reset') {
            const report = await started(cluster).reset()
            manual?.forget()
            return report
          }
          if (command === 'inject') return await faultsOf(started(cluster)).inject(request)
          if (command === 'recover') return await faultsOf(started(cluster)).recover()
          if (command === 'record') return record(started(cluster), request)
          if (command === 'node') return await setNodeState(started(cluster), request.node, request.state)
          if (command !== 'down')
            throw new RemediumError('bad-argument', `There is no command "${command}" for a cluster.`)
          end()
          return await closed
        })
        control.catch((error) => run.onError(`control socket: ${String(error)}`))
      },
    })
    const own = join(cluster.folder, 'kubeconfig')
    writeFileSync(own, cluster.kubeconfig, { mode: 0o600 })
    if (options.kubeconfig !== undefined) {
      noteOutsideFile(cluster.folder, options.kubeconfig, cluster.kubeconfig)
      writeKubeconfig(options.kubeconfig, cluster.kubeconfig)
    }
    const { name, id, server, entryPoints, token, certificateAuthority } = cluster
    run.onReady({
      name,
      id,
      system: system?.name,
      server,
      kubeconfig: options.kubeconfig ?? own,
      entryPoints,
      token,
      certificateAuthority,
    })
    await whenAborted(asked.signal)
  } finally {
    const closing = cluster?.close() ?? Promise.resolve()
    await closing.then(tellClosed, tellFailed)
    audit?.end()
    ;(await control?.catch(() => undefined))?.close()
    await closing
  }
}

const record = ({ telemetry }: LocalCluster, { requests, journeys }: UserRecords): void => {
  if (telemetry === undefined)
    throw new RemediumError('bad-argument', 'There is no system on the cluster that users could speak of.')
  telemetry.record(requests, journeys)
}

const started = (cluster: LocalCluster | undefined): LocalCluster => {
  if (cluster === undefined) throw new RemediumError('not-ready', 'The cluster is still starting.')
  return cluster
}
