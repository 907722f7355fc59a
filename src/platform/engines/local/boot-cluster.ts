/** Starts and stops the network, the runtimes, fault injection and the embedded Kubernetes. */
import { mkdirSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { Clock, Random } from '#kit'
import { listenInside, removeTree } from '#machine/linux'
import {
  type AuditEvent,
  type Cluster,
  type ClusterNetwork,
  claimFolder,
  combineCatalogues,
  createCluster,
  createClusterNetwork,
  createOciRuntime,
  createPodFaults,
  defaultNodes,
  type ImageCatalogue,
  type ListeningCluster,
  type PodProcesses,
  type ProgramMount,
  publishDnsService,
  wellKnownImages,
} from '#platform/kube'
import type { ContainerStatistics } from '#spec'
import { createCleanUp } from './clean-up.ts'
import { combineContainerStatistics } from './combine-container-statistics.ts'
import { combinePodProcesses } from './combine-pod-processes.ts'
import { openSandboxGate } from './sandbox-gate.ts'

/** The address of the API server for pods. */
const API_ADDRESS = '172.18.0.1'

/** Limits for files of pods: they share the disk of this machine, which is smaller than the disks that the nodes report. */
const STORAGE_ALLOWANCE = { max: '2Gi', lowDiskThreshold: '4Gi', maxWhenLow: '128Mi' }
const DISK_CHECK_MS = 5000

/** The fields of a pod that determine its shared folders. */
export interface SharingPod {
  readonly metadata: { readonly uid: string; readonly namespace?: string }
}

export interface BootOptions {
  clock: Clock
  random: Random
  nodes: number
  port: number
  /** The claimed folder of the cluster. */
  folder: string
  cgroup: string
  marker: Readonly<Record<string, string>>
  images: ImageCatalogue
  /** Folders of this machine that are mounted read-only into every container of a pod. */
  sharedFolders(pod: SharingPod): readonly ProgramMount[]
  onAudit(event: AuditEvent): void
  onError(source: string, error: unknown): void
}

export interface BootedCluster {
  readonly cluster: Cluster
  readonly network: ClusterNetwork
  readonly processes: PodProcesses
  readonly statistics: ContainerStatistics
  readonly server: ListeningCluster
  /** Connects to the API as sandboxes of agents do. */
  connectSandbox(): Promise<Socket>
  /** Removes all images from the nodes except those with these full names. */
  retainImages(names: ReadonlySet<string>): void
  /** Stops everything that this process has started. */
  close(): Promise<void>
}

/** Pods get random addresses: ascending ones would reveal which pods were replaced before the episode. */
const openNetwork = (
  { clock, random, marker, onError }: BootOptions,
  nodes: ReturnType<typeof defaultNodes>,
) =>
  createClusterNetwork({
    clock,
    random: random.fork('network'),
    nodes,
    hasRandomAddresses: true,
    marker,
    onError,
  })

export const bootCluster = async (options: BootOptions): Promise<BootedCluster> => {
  const { clock, random, folder, marker, onError } = options
  const nodes = defaultNodes(options.nodes)
  const cleanUp = createCleanUp()
  try {
    mkdirSync(folder, { recursive: true })
    const network = await openNetwork(options, nodes)
    cleanUp.add(() => network.close())
    const images = combineCatalogues(options.images, wellKnownImages)
    const runtimes = nodes.map(({ name }) =>
      createOciRuntime({
        clock,
        nodeName: name,
        network,
        images,
        sharedFolders: options.sharedFolders,
        folder,
        cgroup: `${options.cgroup}/${name}`,
        marker,
      }),
    )
    cleanUp.add(() => Promise.all(runtimes.map((runtime) => runtime.close())))
    const processes = combinePodProcesses(runtimes.map((runtime) => runtime.processes))
    const faults = createPodFaults({
      processes,
      dns: network.dns,
      clock,
      random: random.fork('faults'),
      folder,
      marker,
      onError: (error) => onError('faults', error),
    })
    cleanUp.add(() => faults.close())
    const cluster = createCluster({
      clock,
      random,
      nodes,
      runtimeFor: (_node, index) => runtimes[index]!,
      faults,
      volumes: {
        removeDirectory: (path) =>
          void removeTree(claimFolder(folder, path)).catch((error) => onError('volumes', error)),
      },
      storageAllowance: STORAGE_ALLOWANCE,
      diskCheckMs: DISK_CHECK_MS,
      onAudit: options.onAudit,
      onError,
    })
    cleanUp.add(() => cluster.stop())
    publishDnsService(cluster.resources.client)
    network.follow(cluster.resources.client)
    const server = await cluster.listen({ port: options.port })
    cleanUp.add(() => server.close())
    await server.serveOn(listenInside(network.namespace, API_ADDRESS, server.port))
    const gate = await openSandboxGate(server)
    cleanUp.add(async () => gate.close())
    const statistics = combineContainerStatistics(runtimes.map((runtime) => runtime.statistics))
    return {
      cluster,
      network,
      processes,
      statistics,
      server,
      connectSandbox: gate.connect,
      retainImages(names) {
        for (const runtime of runtimes) runtime.retainImages(names)
      },
      close: cleanUp.run,
    }
  } catch (error) {
    await cleanUp.run().catch((cause) => onError('end', cause))
    throw error
  }
}
