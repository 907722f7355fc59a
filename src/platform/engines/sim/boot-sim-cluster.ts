/** Connects the models of nodes, network, programs and faults with the embedded Kubernetes. */
import type { Random, VirtualClock } from '#kit'
import { createSimPodFaults } from '#platform/engines/sim/faults'
import { createNodeLoad } from '#platform/engines/sim/hosts'
import { createSimNetwork, type SimNetwork } from '#platform/engines/sim/network'
import {
  createProgramRuntime,
  createSimDisks,
  createSimPods,
  type ProgramImages,
  type SimDisks,
  type SimPod,
  type SimPods,
} from '#platform/engines/sim/runtime'
import {
  type AuditEvent,
  type Cluster,
  createCluster,
  defaultNodes,
  publishDnsService,
  unitValue,
} from '#platform/kube/simulated'
import type { SimulatedProgram, Span } from '#spec'

/** The limits for the files of a pod on a local cluster, so that both evict the same pods. */
const STORAGE_ALLOWANCE = { max: '2Gi', lowDiskThreshold: '4Gi', maxWhenLow: '128Mi' }
const DISK_CHECK_MS = 5000

export interface BootSimOptions {
  readonly clock: VirtualClock
  readonly random: Random
  readonly nodes: number
  readonly hasSockets: boolean
  readonly images: ProgramImages
  readonly everydayPrograms: Readonly<Record<string, SimulatedProgram>>
  onSpan(pod: SimPod, span: Span): void
  onAudit(event: AuditEvent): void
  onError(source: string, error: unknown): void
}

export interface BootedSimCluster {
  readonly cluster: Cluster
  readonly network: SimNetwork
  readonly pods: SimPods
  readonly disks: SimDisks
  /** Removes all images from the nodes except those with these full names. */
  retainImages(names: ReadonlySet<string>): void
  close(): void
}

export const bootSimCluster = (options: BootSimOptions): BootedSimCluster => {
  const { clock, random, images, everydayPrograms, onSpan, onAudit, onError } = options
  const nodes = defaultNodes(options.nodes)
  const pods = createSimPods()
  const disks = createSimDisks()
  const runtimes = nodes.map(({ name, podCIDR, capacity }) =>
    createProgramRuntime({
      clock,
      random: random.fork(`runtime of ${name}`),
      nodeName: name,
      podCIDR,
      memoryBytes: unitValue(capacity.memory),
      network: () => network,
      load: createNodeLoad(unitValue(capacity.cpu)),
      images,
      everydayPrograms,
      disks,
      pods,
      onSpan,
      onProgramError: (pod, error) => onError(`program of ${pod.name}`, error),
    }),
  )
  const cluster = createCluster({
    clock,
    random,
    nodes,
    sockets: options.hasSockets,
    runtimeFor: (_node, index) => runtimes[index]!,
    faults: { apply: (fault, reply) => faults.apply(fault, reply) },
    volumes: { removeDirectory: disks.remove },
    storageAllowance: STORAGE_ALLOWANCE,
    diskCheckMs: DISK_CHECK_MS,
    onAudit,
    onError,
  })
  const { client } = cluster.resources
  const network = createSimNetwork({ clock, random: random.fork('network'), client, nodes })
  const faults = createSimPodFaults({ pods, network, clock })
  publishDnsService(client)
  return {
    cluster,
    network,
    pods,
    disks,
    retainImages(names) {
      for (const runtime of runtimes) runtime.retainImages(names)
    },
    close() {
      cluster.stop()
      for (const runtime of runtimes) runtime.close()
      network.close()
    },
  }
}
