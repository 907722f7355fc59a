/** Starts a cluster in a claimed folder, and deploys the system if one is given. */
import { join } from 'node:path'
import { type Clock, createRandom, defined } from '#kit'
import { applySystem, imagesInUse, waitUntilReady } from '#platform/engines/deploy'
import type { ClusterFolder } from '#platform/engines/folders'
import { cgroupOf, markerOf } from '#platform/engines/local/machine'
import { createNodeControl, createResetQueue, createTouchedPods } from '#platform/engines/reset'
import { type AuditEvent, type Client, OWNER_UID } from '#platform/kube'
import type { KubeApi, ProvisionOptions, System } from '#spec'
import { type BootedCluster, bootCluster } from './boot-cluster.ts'
import { createCleanUp } from './clean-up.ts'
import { createClusterResetter } from './cluster-resetter.ts'
import { connectToMain } from './connect-to-main.ts'
import { openEntryPoints } from './entry-points.ts'
import { inspectContainers } from './inspect-containers.ts'
import { listProcesses } from './list-processes.ts'
import { listPrograms } from './list-programs.ts'
import type { LocalCluster } from './local-cluster.ts'
import { readCpuTimes } from './read-cpu-times.ts'
import { createSystemImages, type SystemImages } from './system-images.ts'
import { type SystemTelemetry, socketMountsOf, startSystemTelemetry } from './system-telemetry.ts'
import { waitUntilListening } from './wait-until-listening.ts'

/** The user of the engine itself. */
const ENGINE_USER = {
  username: 'kubernetes-admin',
  uid: OWNER_UID,
  groups: ['system:masters', 'system:authenticated'],
}
const READY_TIMEOUT_MS = 300_000
/** Startup continues after this time: a program that does not listen by then has a different problem. */
const LISTENING_TIMEOUT_MS = 10_000

export type StartedCluster = Omit<LocalCluster, 'id' | 'name' | 'folder'>

export interface StartOptions {
  readonly claimed: ClusterFolder
  readonly system: System | undefined
  readonly settings: ProvisionOptions
  readonly clock: Clock
  /** A clock that keeps the process alive while the start waits. */
  readonly waitingClock: Clock
  onAudit(event: AuditEvent): void
  onError(source: string, error: unknown): void
}

const boot = (
  options: StartOptions,
  images: SystemImages,
  onAudit: (event: AuditEvent) => void,
): Promise<BootedCluster> => {
  const { claimed, system, settings, clock, onError } = options
  const { folder, record } = claimed
  const { seed = 'remedium', nodes = 3, port = 0 } = settings
  return bootCluster({
    clock,
    random: createRandom(seed),
    nodes,
    port,
    folder,
    cgroup: cgroupOf(record.id),
    marker: markerOf(folder),
    images: images.catalogue,
    sharedFolders: system === undefined ? () => [] : socketMountsOf(folder, system.namespace),
    onAudit,
    onError,
  })
}

const startTelemetry = async (
  { claimed, system, settings, clock, onError }: StartOptions,
  booted: BootedCluster,
  api: KubeApi,
): Promise<SystemTelemetry | undefined> =>
  system === undefined
    ? undefined
    : await startSystemTelemetry({
        booted,
        api,
        clock,
        folder: claimed.folder,
        namespace: system.namespace,
        file: settings.telemetryFile,
        onError: (error) => onError('telemetry', error),
      })

/** Returns a function that waits until the programs of the system listen on their ports. */
const createListeningWait =
  ({ system, waitingClock: clock }: StartOptions, client: Client, { processes }: BootedCluster) =>
  async (signal: AbortSignal | undefined): Promise<void> => {
    if (system === undefined) return
    const { namespace } = system
    const timeoutMs = LISTENING_TIMEOUT_MS
    await waitUntilListening({ client, processes, namespace, clock, timeoutMs, signal })
  }

const deploySystem = async (
  { system, settings, waitingClock: clock }: StartOptions,
  client: Client,
): Promise<void> => {
  const { signal, onProgress = () => {} } = settings
  if (system !== undefined) await applySystem(client, system, clock)
  await waitUntilReady(client, {
    clock,
    timeoutMs: READY_TIMEOUT_MS,
    ...defined({ signal }),
    onProgress: (pending) => onProgress(`waiting for ${pending.join(', ')} ...`),
  })
}

/** The members that look into pods from outside. */
const toInspection = ({
  network,
  processes,
}: BootedCluster): Pick<StartedCluster, 'programsIn' | 'processesIn' | 'containersIn' | 'connectTo'> => ({
  programsIn: (uid) => listPrograms(processes, uid),
  processesIn: (uid) => listProcesses(processes, uid),
  containersIn: (uid) => inspectContainers(processes, uid),
  connectTo: connectToMain({ network, processes }),
})

const start = async (
  options: StartOptions,
  cleanUp: ReturnType<typeof createCleanUp>,
): Promise<StartedCluster> => {
  const { claimed, system, settings, onError } = options
  const { folder, record } = claimed
  const { signal } = settings
  const touched = createTouchedPods(ENGINE_USER.uid)
  const images = createSystemImages(system?.images ?? [], join(folder, 'images'))
  const booted = await boot(options, images, (event) => {
    touched.record(event)
    options.onAudit(event)
  })
  cleanUp.add(() => booted.close())
  signal?.throwIfAborted()
  const { cluster, network, server } = booted
  const client = cluster.resources.clientFor(ENGINE_USER, 'remedium')
  const api = cluster.apiFor(ENGINE_USER)
  const telemetry = await startTelemetry(options, booted, api)
  if (telemetry !== undefined) cleanUp.add(telemetry.close)
  const waitForPrograms = createListeningWait(options, client, booted)
  await deploySystem(options, client)
  await waitForPrograms(signal)
  // Pods become Ready shortly before their network rules take effect.
  await network.settled()
  const entryPoints = await openEntryPoints(system?.entryPoints ?? [], {
    client,
    namespace: network.namespace,
  })
  cleanUp.add(() => entryPoints.close())
  const nodeControl = createNodeControl(booted)
  const reset = await createClusterResetter({
    id: record.id,
    folder,
    client,
    booted,
    touched,
    nodeControl,
    system,
    clock: options.waitingClock,
    waitUntilListening: waitForPrograms,
    onError,
  })
  const resets = createResetQueue(async (closing, choices) => {
    // Changes made by the reset must not raise alerts.
    telemetry?.pause()
    try {
      return await reset(closing, choices)
    } finally {
      telemetry?.startAlerts('reset')
    }
  })
  cleanUp.add(resets.end)
  telemetry?.startAlerts('ready')
  return {
    api,
    ...defined({ telemetry: telemetry?.telemetry }),
    cluster,
    kubeconfig: server.kubeconfig,
    token: server.token,
    certificateAuthority: server.certificateAuthority,
    certificateKubeconfig: server.certificateKubeconfig,
    server: server.url,
    access: server.access,
    connectSandbox: booted.connectSandbox,
    entryPoints: entryPoints.open,
    setNodeHealth: nodeControl.setNodeHealth,
    setNodeReachable: nodeControl.setNodeReachable,
    cpuTimes: () => readCpuTimes(cgroupOf(record.id)),
    ...toInspection(booted),
    setImages(list) {
      images.set(list)
      booted.retainImages(imagesInUse(client))
    },
    reset: resets.run,
    close: cleanUp.run,
  }
}

/** If the start fails, everything that was started is stopped. */
export const startCluster = async (options: StartOptions): Promise<StartedCluster> => {
  const cleanUp = createCleanUp()
  options.settings.onProgress?.('starting the cluster ...')
  try {
    return await start(options, cleanUp)
  } catch (error) {
    await cleanUp.run().catch((cause) => options.onError('end', cause))
    throw error
  }
}
