/** The kubelet of one node: keeps the Node alive in the API and the pods bound to it running. */
import type { Clock, Random } from '../../kit/index.ts'
import { pods } from '../kinds/index.ts'
import type { Client, ContainerRuntime, EventRecorder, TokenIssuer } from '../ports/index.ts'
import { createHeartbeat } from './heartbeat.ts'
import { issuePodToken } from './issue-pod-token.ts'
import type { KubeletContext } from './kubelet-context.ts'
import { createNodePods } from './node-pods.ts'
import type { NodeFacts, Pressure } from './node-status.ts'
import { createPodTokens } from './pod-tokens.ts'
import { createServiceLinks } from './service-links.ts'
import { createStatusReports } from './status-reports.ts'
import type { StorageAllowance } from './storage-limits.ts'
import { createVolumeSources } from './volume-sources.ts'

/** As often as the real kubelet. */
const DISK_CHECK_MS = 10_000

export interface KubeletOptions {
  node: NodeFacts
  client: Client
  clock: Clock
  random: Random
  /** Its component is `kubelet` and its host the node. */
  events: EventRecorder
  runtime: ContainerRuntime
  /** Makes service-account tokens for pods; without it their files are empty. */
  tokens?: TokenIssuer
  /** How often the disk usage of pods with limits is measured; ten seconds where absent. */
  diskCheckMs?: number
  /** To what pods without limits are held; to nothing where absent. */
  storageAllowance?: StorageAllowance
  /** Told of what went wrong inside the kubelet, which goes on: the pod is tried again. */
  onError?: (where: string, error: unknown) => void
}

export interface Kubelet {
  readonly nodeName: string
  readonly runtime: ContainerRuntime
  /** False: falls silent, as when the node is lost; its containers go on, unwatched. */
  setHealthy(healthy: boolean): void
  setPressure(type: Pressure, pressed: boolean): void
  /** Ends a pod as under node pressure: `Failed`, with this reason (`Evicted`) and message. */
  evictPod(namespace: string, name: string, reason: string, message: string): void
  stop(): void
}

export const createKubelet = (options: KubeletOptions): Kubelet => {
  const { node, client, clock, random, events, runtime, onError = () => {} } = options
  const links = createServiceLinks(client)
  const volumeSources = createVolumeSources(client, clock)
  const tokens = createPodTokens(clock, issuePodToken(client, options.tokens), (uid) =>
    nodePods.workerOf(uid)?.refreshVolumes(),
  )
  let alive = true

  const context: KubeletContext = {
    nodeName: node.name,
    hostIP: node.hostIP,
    allocatable: node.allocatable ?? node.capacity,
    client,
    clock,
    random,
    events,
    runtime,
    issueToken: tokens.issue,
    volumeSources,
    diskCheckMs: options.diskCheckMs ?? DISK_CHECK_MS,
    storageAllowance: options.storageAllowance,
    serviceLinks: links.of,
    isAlive: () => alive,
    onError: (where, error) => onError(`kubelet ${node.name}, ${where}`, error),
    statusChanged: (uid) => reports.changed(uid),
    podForgotten(uid) {
      reports.forget(uid)
      tokens.forget(uid)
    },
  }
  const nodePods = createNodePods(context)
  const reports = createStatusReports(context, nodePods.workerOf, nodePods.forget)
  const unwatch = client.watch(pods, nodePods.onPod)
  const heartbeat = createHeartbeat(context, node)
  for (const pod of client.list(pods)) if (pod.spec.nodeName === node.name) nodePods.take(pod)

  return {
    nodeName: node.name,
    runtime,
    setHealthy(healthy) {
      if (alive === healthy) return
      alive = healthy
      if (!healthy) return
      heartbeat.beat()
      for (const worker of nodePods.workers()) {
        worker.queueSync()
        // Others may have written of the pod meanwhile what they supposed.
        reports.changed(worker.pod.metadata.uid)
      }
      reports.resume()
    },
    setPressure: heartbeat.setPressure,
    evictPod(namespace, name, reason, message) {
      const pod = client.get(pods, namespace, name)
      const worker = pod === undefined ? undefined : nodePods.workerOf(pod.metadata.uid)
      worker?.evict(reason, message)
    },
    stop() {
      alive = false
      unwatch()
      links.stop()
      volumeSources.stop()
      tokens.stop()
      heartbeat.stop()
      reports.stop()
      nodePods.stop()
    },
  }
}
