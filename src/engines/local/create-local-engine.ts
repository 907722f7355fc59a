/** The local engine: clusters of real processes on this machine. */
import { resolve } from 'node:path'
import { type Clock, createRandom, createRealClock, sleep } from '../../kit/index.ts'
import { type AuditEvent, type Cluster, type ListeningCluster, OWNER_UID } from '../../kube/index.ts'
import type { Engine, EngineCluster, ProvisionOptions, System } from '../../spec/index.ts'
import { applySystem } from './apply-system.ts'
import { bootCluster } from './boot-cluster.ts'
import { createCleanUp } from './clean-up.ts'
import { cpuTimesOf } from './cpu-times.ts'
import { createNodeControl } from './create-node-control.ts'
import { createResets } from './create-resets.ts'
import { openEntryPoints } from './entry-points.ts'
import { givingWay } from './give-way.ts'
import {
  type ClusterFolder,
  cgroupOf,
  checkMachine,
  claimClusterFolder,
  markerOf,
  pruneClusters,
  removeCluster,
  stateFolder,
} from './machine/index.ts'
import { programsIn } from './programs-in.ts'
import {
  createTouchedPods,
  keepClaimContents,
  keepNodeDisks,
  resetCluster,
  takeBaseline,
  untilReady,
} from './reset/index.ts'
import { systemImages } from './system-images.ts'
import { untilListening } from './until-listening.ts'
import { checkTelemetryFile, socketFolders, watchSystem } from './watch-system.ts'

export interface LocalEngineOptions {
  /** Where clusters keep what they keep; REMEDIUM_STATE or the machine's own where absent. */
  state?: string
  clock?: Clock
  /** Told of every request that changed something in any of the clusters. */
  onAudit?(event: AuditEvent): void
  /** Told of what went wrong inside the clusters, which go on regardless. */
  onError?(where: string, error: unknown): void
}

export interface LocalCluster extends EngineCluster {
  /** Its own, on disk. */
  readonly folder: string
  /** The administrator's. */
  readonly token: string
  /** PEM. */
  readonly certificateAuthority: string
  /** A kubeconfig whose user proves himself by a certificate made for it. */
  certificateKubeconfig: ListeningCluster['certificateKubeconfig']
  /** The embedded Kubernetes. */
  readonly cluster: Cluster
  /** False: the kubelet falls silent, and its containers go on unwatched. */
  setNodeHealth(node: string, healthy: boolean): void
  /** False: neither the API server nor other nodes hear of it any more, nor of its pods. */
  setNodeReachable(node: string, reachable: boolean): Promise<void>
}

export interface LocalEngine extends Engine<LocalCluster> {
  provision(
    system?: System,
    options?: ProvisionOptions & { onClaim?(folder: string): void },
  ): Promise<LocalCluster>
}

/** Who the engine itself is. */
const OWN = {
  username: 'kubernetes-admin',
  uid: OWNER_UID,
  groups: ['system:masters', 'system:authenticated'],
}
const READY_MS = 300_000
/** A system whose programs do not listen within this has another trouble. */
const LISTENING_MS = 10_000
/** In which controllers have done what follows from the last change. */
const TURNS_MS = 20

/** Whoever registers with Consul does so once, when it starts. */
const registriesOf = (system: System | undefined): ReadonlySet<string> =>
  new Set(
    Object.entries(system?.topology?.services ?? {})
      .filter(([, { behaviour }]) => behaviour.wire === 'consul')
      .map(([name]) => name),
  )

export const createLocalEngine = (options: LocalEngineOptions = {}): LocalEngine => {
  const { clock = createRealClock(), onAudit = () => {}, onError = () => {} } = options
  // What is awaited here must come to its end, even where nothing else keeps the process alive.
  const patient = createRealClock({ keepsAlive: true })

  const furnish = async (
    claimed: ClusterFolder,
    system: System | undefined,
    settings: ProvisionOptions,
  ): Promise<Omit<LocalCluster, 'id' | 'name' | 'folder'>> => {
    const { seed = 'remedium', nodes = 3, port = 0, signal, onProgress = () => {} } = settings
    const { folder, record } = claimed
    const touched = createTouchedPods(OWN.uid)
    const cleanUp = createCleanUp()
    try {
      onProgress('starting the cluster ...')
      const booted = await bootCluster({
        clock,
        random: createRandom(seed),
        nodes,
        port,
        folder,
        cgroup: cgroupOf(record.id),
        marker: markerOf(folder),
        images: systemImages(system?.images ?? []),
        sharedFolders: system === undefined ? () => [] : socketFolders(folder, system.namespace),
        onAudit(event) {
          touched.note(event)
          onAudit(event)
        },
        onError,
      })
      cleanUp.add(() => booted.close())
      signal?.throwIfAborted()
      const { cluster, network, processes, server } = booted
      const client = cluster.resources.clientFor(OWN, 'remedium')
      const api = cluster.apiFor(OWN)
      const watched =
        system === undefined
          ? undefined
          : await watchSystem({
              booted,
              api,
              clock,
              folder,
              namespace: system.namespace,
              file: settings.telemetryFile,
              onError: (error) => onError('telemetry', error),
            })
      if (watched !== undefined) cleanUp.add(watched.close)
      if (system !== undefined) await applySystem(client, system, patient)
      await untilReady(client, {
        clock: patient,
        timeoutMs: READY_MS,
        ...(signal === undefined ? {} : { signal }),
        onProgress: (pending) => onProgress(`waiting for ${pending.join(', ')} ...`),
      })
      const allListen = async (stop: AbortSignal | undefined): Promise<void> => {
        if (system === undefined) return
        const { namespace } = system
        const wanted = { client, processes, namespace, clock: patient, timeoutMs: LISTENING_MS }
        await untilListening({ ...wanted, signal: stop })
      }
      await allListen(signal)
      // Pods are Ready a moment before the rules that lead to them are in force.
      await network.settled()
      const doors = await openEntryPoints(system?.entryPoints ?? [], { client, namespace: network.namespace })
      cleanUp.add(() => doors.close())
      const baseline = takeBaseline(client)
      const contents = await keepClaimContents({
        client,
        folder,
        clock: patient,
        marker: markerOf(folder),
        onError: (error) => onError('baseline', error),
      })
      const disks = await keepNodeDisks({
        folder,
        marker: markerOf(folder),
        nodes: [...baseline.nodes.keys()],
      })
      touched.clear()
      const { healNodes, setNodeHealth, setNodeReachable } = createNodeControl(booted)
      const resets = createResets(async (closing, choices) => {
        // What changes on purpose is nothing to alert of.
        watched?.pause()
        try {
          return await givingWay(cgroupOf(record.id), async () => {
            const report = await resetCluster({
              client,
              clock: patient,
              baseline,
              contents,
              disks,
              touched,
              processes,
              healNodes,
              signal: closing,
              keepData: choices?.keepData ?? false,
              isTrusted: choices?.isTrusted ?? false,
              keepNewPods: choices?.keepNewPods ?? false,
              registries: registriesOf(system),
              onError: (error) => onError('reset', error),
            })
            await allListen(closing)
            // Of Services that were made anew the endpoints are found in the next turns.
            await sleep(patient, TURNS_MS)
            await network.settled()
            return report
          })
        } finally {
          watched?.begin('reset')
        }
      })
      cleanUp.add(resets.end)
      watched?.begin('ready')
      return {
        api,
        ...(watched === undefined ? {} : { telemetry: watched.telemetry }),
        cluster,
        kubeconfig: server.kubeconfig,
        token: server.token,
        certificateAuthority: server.certificateAuthority,
        certificateKubeconfig: server.certificateKubeconfig,
        server: server.url,
        access: server.access,
        entryPoints: doors.open,
        setNodeHealth,
        setNodeReachable,
        cpuTimes: () => cpuTimesOf(cgroupOf(record.id)),
        programsIn: (uid) => programsIn(processes, uid),
        reset: resets.run,
        close: cleanUp.run,
      }
    } catch (error) {
      await cleanUp.run().catch((cause) => onError('end', cause))
      throw error
    }
  }

  return {
    async provision(system, settings = {}) {
      const { name, signal, onProgress = () => {}, onClaim = () => {} } = settings
      checkMachine()
      checkTelemetryFile(settings.telemetryFile)
      const state = options.state === undefined ? stateFolder() : resolve(options.state)
      const { removed } = await pruneClusters(state, patient)
      if (removed.length > 0) onProgress(`removed what was left of ${removed.join(', ')}`)
      signal?.throwIfAborted()
      const claimed = claimClusterFolder(state, { name, system: system?.name, created: clock.now() })
      const { folder, record } = claimed
      const give = (): Promise<void> => removeCluster(state, { folder, id: record.id, clock: patient })
      try {
        onClaim(folder)
        const furnished = await givingWay(cgroupOf(record.id), () => furnish(claimed, system, settings))
        let closing: Promise<void> | undefined
        return {
          ...furnished,
          id: record.id,
          name: record.name,
          folder,
          close() {
            closing ??= furnished
              .close()
              .catch((error) => onError('end', error))
              .then(give)
            return closing
          },
        }
      } catch (error) {
        await give()
        throw error
      }
    },
  }
}
