/** The kubelet of one node: maintains its Node and Lease in the API, and runs the pods bound to it. */
import type { Clock, Random } from '#kit'
import { pods } from '#platform/kube/kinds'
import type { Client, ContainerRuntime, EventRecorder, TokenIssuer } from '#platform/kube/ports'
import { createServiceLinks } from './containers/service-links.ts'
import { createHeartbeat } from './heartbeat.ts'
import type { KubeletContext } from './kubelet-context.ts'
import type { NodeFacts, Pressure } from './node-status.ts'
import { createNodePods } from './pods/node-pods.ts'
import { createStatusReports } from './pods/status-reports.ts'
import { issuePodToken } from './volumes/issue-pod-token.ts'
import { createPodTokens } from './volumes/pod-tokens.ts'
import type { StorageAllowance } from './volumes/storage-limits.ts'
import { createVolumeSources } from './volumes/volume-sources.ts'

/** The interval of the real kubelet. */
const DISK_CHECK_MS = 10_000

export interface KubeletOptions {
  node: NodeFacts
  client: Client
  clock: Clock
  random: Random
  /** Must record events with the component `kubelet` and the node as host. */
  events: EventRecorder
  runtime: ContainerRuntime
  /** Issues service-account tokens for pods; without it, token files are empty. */
  tokens?: TokenIssuer
  /** How often the disk usage of pods with limits is measured; ten seconds by default. */
  diskCheckMs?: number
  /** Limits the storage of every pod, in addition to the pod's own limits; unlimited by default. */
  storageAllowance?: StorageAllowance
  /** Called for an internal error; the kubelet continues and retries the pod. */
  onError?: (source: string, error: unknown) => void
}

export interface Kubelet {
  readonly nodeName: string
  readonly runtime: ContainerRuntime
  /** `false` simulates a lost node: the kubelet stops reporting while its containers keep running. */
  setHealthy(healthy: boolean): void
  setPressure(type: Pressure, active: boolean): void
  /** Ends a pod as node pressure does: it becomes `Failed`, with this message and a reason such as `Evicted`. */
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
    serviceLinks: links.variablesFor,
    isAlive: () => alive,
    onError: (source, error) => onError(`kubelet ${node.name}, ${source}`, error),
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
  for (const pod of client.list(pods)) if (pod.spec.nodeName === node.name) nodePods.start(pod)

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
        // In the meantime, controllers may have written an assumed status, such as Ready=False.
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
