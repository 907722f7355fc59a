/** Puts network, runtimes, faults and the embedded Kubernetes together, and takes them apart again. */
import { mkdirSync } from 'node:fs'
import type { Clock, Random } from '../../kit/index.ts'
import {
  type AuditEvent,
  type Cluster,
  type ClusterNetwork,
  claimFolder,
  createCluster,
  createClusterNetwork,
  createOciRuntime,
  createPodFaults,
  defaultNodes,
  everydayPrograms,
  firstOf,
  type ImageCatalogue,
  type ListeningCluster,
  type PodProcesses,
  type ProgramMount,
  publishDnsService,
} from '../../kube/index.ts'
import { listenInside, removeTree } from '../../linux/index.ts'
import type { ContainerStatistics } from '../../spec/index.ts'
import { createCleanUp } from './clean-up.ts'
import { joinProcesses } from './join-processes.ts'
import { joinStatistics } from './join-statistics.ts'

/** Where pods reach the API server. */
const API_ADDRESS = '172.18.0.1'

/** What pods write lies on the disk of this machine, which has less than its nodes say. */
const STORAGE_ALLOWANCE = { most: '2Gi', low: '4Gi', mostWhenLow: '128Mi' }
const DISK_CHECK_MS = 5000

/** As much of a pod as tells what it may see. */
export interface SharingPod {
  readonly metadata: { readonly uid: string; readonly namespace?: string }
}

export interface BootOptions {
  clock: Clock
  random: Random
  nodes: number
  port: number
  /** Of the cluster, claimed. */
  folder: string
  cgroup: string
  marker: Readonly<Record<string, string>>
  images: ImageCatalogue
  /** What every container of a pod sees of this machine, read-only. */
  sharedFolders(pod: SharingPod): readonly ProgramMount[]
  onAudit(event: AuditEvent): void
  onError(where: string, error: unknown): void
}

export interface BootedCluster {
  readonly cluster: Cluster
  readonly network: ClusterNetwork
  readonly processes: PodProcesses
  readonly statistics: ContainerStatistics
  readonly server: ListeningCluster
  /** Ends everything that lives in this process or was started by it. */
  close(): Promise<void>
}

export const bootCluster = async (options: BootOptions): Promise<BootedCluster> => {
  const { clock, random, folder, marker, onError } = options
  const nodes = defaultNodes(options.nodes)
  const cleanUp = createCleanUp()
  try {
    mkdirSync(folder, { recursive: true })
    const network = await createClusterNetwork({
      clock,
      random: random.fork('network'),
      nodes,
      marker,
      onError,
    })
    cleanUp.add(() => network.close())
    const images = firstOf(options.images, everydayPrograms)
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
    const processes = joinProcesses(runtimes.map((runtime) => runtime.processes))
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
    const statistics = joinStatistics(runtimes.map((runtime) => runtime.statistics))
    return { cluster, network, processes, statistics, server, close: cleanUp.run }
  } catch (error) {
    await cleanUp.run().catch((cause) => onError('end', cause))
    throw error
  }
}
