/** Starts a simulated cluster, and deploys the system if one is given. */
import { defined, type Random, type VirtualClock } from '#kit'
import { applySystem, imagesInUse, waitUntilReady } from '#platform/engines/deploy'
import { createNodeControl, createResetQueue, createTouchedPods } from '#platform/engines/reset'
import {
  connectToMain,
  inspectContainers,
  listProcesses,
  listPrograms,
} from '#platform/engines/sim/inspection'
import { type AuditEvent, type Client, OWNER_UID } from '#platform/kube/simulated'
import { everydayPrograms } from '#platform/pod-programs'
import { type ProvisionOptions, RemediumError, type System } from '#spec'
import { type BootedSimCluster, bootSimCluster } from './boot-sim-cluster.ts'
import { checkPrograms } from './check-programs.ts'
import { createClaimStatistics } from './claim-volumes.ts'
import { connectUserTo } from './connect-user-to.ts'
import { createCommandRunner, createPlaybookRunner } from './run-on-cluster.ts'
import { serveApiInside } from './serve-api-inside.ts'
import type { SimCluster } from './sim-cluster.ts'
import { createSimImages } from './sim-images.ts'
import { createSimResetter } from './sim-resetter.ts'
import { type SimTelemetry, startSimTelemetry } from './sim-telemetry.ts'
import { waitUntilListening } from './wait-until-listening.ts'

/** The user of the engine itself. */
const ENGINE_USER = {
  username: 'kubernetes-admin',
  uid: OWNER_UID,
  groups: ['system:masters', 'system:authenticated'],
}
const READY_TIMEOUT_MS = 300_000
const DEFAULT_NODES = 3
const ID_LENGTH = 8

export interface StartSimOptions {
  readonly system: System | undefined
  readonly settings: ProvisionOptions
  readonly clock: VirtualClock
  readonly random: Random
  readonly hasSockets: boolean
  onAudit(event: AuditEvent): void
  onError(source: string, error: unknown): void
}

const noSockets = (what: string): RemediumError =>
  new RemediumError('unsupported', `A simulated cluster has no ${what}.`)

const startTelemetry = async (
  { system, clock, onError }: StartSimOptions,
  { cluster, pods, network, disks }: BootedSimCluster,
): Promise<SimTelemetry | undefined> =>
  system === undefined
    ? undefined
    : await startSimTelemetry({
        api: cluster.apiFor(ENGINE_USER),
        clock,
        pods,
        network,
        namespace: system.namespace,
        volumes: createClaimStatistics(cluster.resources.client, disks),
        onError: (error) => onError('telemetry', error),
      })

const deploySystem = async (
  { system, settings, clock }: StartSimOptions,
  client: Client,
  waitForPrograms: (signal: AbortSignal | undefined) => Promise<void>,
): Promise<void> => {
  const { signal, onProgress = () => {} } = settings
  if (system !== undefined) await applySystem(client, system, clock)
  await waitUntilReady(client, {
    clock,
    timeoutMs: READY_TIMEOUT_MS,
    ...defined({ signal }),
    onProgress: (pending) => onProgress(`waiting for ${pending.join(', ')} ...`),
  })
  await waitForPrograms(signal)
}

/** The members that need neither a system nor a reset. */
const toAccess = (
  { clock, random }: StartSimOptions,
  booted: BootedSimCluster,
): Pick<
  SimCluster,
  'access' | 'accessAs' | 'connectSandbox' | 'programsIn' | 'processesIn' | 'containersIn'
> &
  Pick<SimCluster, 'connectTo' | 'runPlaybook' | 'runShell' | 'cluster' | 'pods' | 'clock'> => {
  const { cluster, pods } = booted
  return {
    clock,
    cluster,
    pods,
    access() {
      throw noSockets('tokens')
    },
    accessAs: cluster.accessAs,
    async connectSandbox() {
      throw noSockets('sockets')
    },
    programsIn: (uid) => listPrograms(pods, clock, uid),
    processesIn: (uid) => listProcesses(pods, clock, uid),
    containersIn: (uid) => inspectContainers(pods, uid),
    connectTo: connectToMain(booted),
    runPlaybook: createPlaybookRunner({ clock, cluster, random }),
    runShell: createCommandRunner({ clock, cluster, random }),
  }
}

export const startSimCluster = async (options: StartSimOptions): Promise<SimCluster> => {
  const { system, settings, clock, random, hasSockets, onError } = options
  const touched = createTouchedPods(ENGINE_USER.uid)
  const images = createSimImages(system?.images ?? [])
  if (system !== undefined) checkPrograms(system, images.find, everydayPrograms)
  let telemetry: SimTelemetry | undefined
  const booted = bootSimCluster({
    clock,
    random,
    hasSockets,
    nodes: settings.nodes ?? DEFAULT_NODES,
    images: images.find,
    everydayPrograms,
    onSpan: (pod, span) => telemetry?.onSpan(pod, span),
    onAudit(event) {
      touched.record(event)
      options.onAudit(event)
    },
    onError,
  })
  const client = booted.cluster.resources.clientFor(ENGINE_USER, 'remedium')
  // Before the baseline is taken, which contains the Service of the API server.
  const listening = hasSockets
    ? await clock.hold(booted.cluster.listen({ port: settings.port ?? 0 }))
    : undefined
  const stopApi = serveApiInside({ ...booted, port: listening?.port })
  telemetry = await startTelemetry(options, booted)
  const waitForPrograms = async (signal: AbortSignal | undefined): Promise<void> => {
    if (system !== undefined)
      await waitUntilListening({ ...booted, client, namespace: system.namespace, clock, signal })
  }
  await deploySystem(options, client, waitForPrograms)
  const nodeControl = createNodeControl(booted)
  const reset = createSimResetter({
    ...{ client, booted, touched, nodeControl, system, clock, onError },
    waitUntilListening: waitForPrograms,
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
  telemetry?.startAlerts('ready')
  const id = random.fork('id').uuid().slice(0, ID_LENGTH)
  return {
    ...toAccess(options, booted),
    id,
    name: settings.name ?? id,
    api: booted.cluster.apiFor(ENGINE_USER),
    kubeconfig: listening?.kubeconfig ?? '',
    server: listening?.url ?? '',
    ...defined({ listening }),
    ...connectUserTo(booted.network, system?.entryPoints ?? []),
    ...defined({ telemetry: telemetry?.telemetry }),
    setNodeHealth: nodeControl.setNodeHealth,
    setNodeReachable: nodeControl.setNodeReachable,
    setImages(list) {
      images.set(list)
      booted.retainImages(imagesInUse(client))
    },
    reset: resets.run,
    async close() {
      await listening?.close()
      stopApi()
      await resets.end()
      await telemetry?.close()
      booted.close()
    },
  }
}
