/** The kubelet of one node: keeps the Node alive in the API and the pods bound to it running. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock, Random } from '../../kit/index.ts'
import { pods, serviceAccounts } from '../kinds/index.ts'
import { ApiError, type Stored } from '../meta/index.ts'
import {
  API_AUDIENCE,
  type Client,
  type ContainerRuntime,
  type EventRecorder,
  type TokenIssuer,
} from '../ports/index.ts'
import { admitPod } from './admit-pod.ts'
import { createBackOff } from './back-off.ts'
import { createHeartbeat } from './heartbeat.ts'
import { createImagePuller } from './image-puller.ts'
import type { IssueToken, KubeletContext } from './kubelet-context.ts'
import type { NodeFacts, Pressure } from './node-status.ts'
import { createPodWorker, type PodWorker } from './pod-worker.ts'
import { createServiceLinks } from './service-links.ts'

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

const issuerOf =
  (client: Client, tokens: TokenIssuer | undefined): IssueToken =>
  ({ metadata, spec }, audience = API_AUDIENCE, expirationSeconds) => {
    const namespace = metadata.namespace!
    const account = client.get(serviceAccounts, namespace, spec.serviceAccountName ?? 'default')
    if (account === undefined || tokens === undefined) return ''
    const { name, uid } = account.metadata
    const boundTo = { kind: 'Pod', apiVersion: 'v1', name: metadata.name, uid: metadata.uid }
    return tokens.issue({ namespace, name, uid, audiences: [audience], expirationSeconds, boundTo }).token
  }

export const createKubelet = (options: KubeletOptions): Kubelet => {
  const { node, client, clock, random, events, runtime } = options
  const allocatable = node.allocatable ?? node.capacity
  const links = createServiceLinks(client)
  const workers = new Map<string, PodWorker>()
  const changed = new Set<string>()
  const finalised = new Set<string>()
  let alive = true
  let flushQueued = false

  const context: KubeletContext = {
    nodeName: node.name,
    hostIP: node.hostIP,
    allocatable,
    client,
    clock,
    random,
    events,
    runtime,
    issueToken: issuerOf(client, options.tokens),
    serviceLinks: links.of,
    isAlive: () => alive,
    statusChanged(uid) {
      changed.add(uid)
      if (flushQueued || !alive) return
      flushQueued = true
      clock.defer(flush)
    },
  }
  const parts = { context, restarts: createBackOff(), images: createImagePuller(context, createBackOff()) }

  const stored = (worker: PodWorker): Stored<Pod> | undefined => {
    const { namespace, name, uid } = worker.pod.metadata
    const pod = client.get(pods, namespace!, name)
    return pod?.metadata.uid === uid ? pod : undefined
  }

  /** The last word on a pod that was asked to go: nothing of it is left here. */
  const finalise = (pod: Stored<Pod>): void => {
    const { namespace, name, uid } = pod.metadata
    if (finalised.has(uid)) return
    finalised.add(uid)
    client.delete(pods, namespace!, name, { gracePeriodSeconds: 0, preconditions: { uid } })
  }

  const report = (uid: string): void => {
    const worker = workers.get(uid)
    if (worker === undefined) return
    const pod = stored(worker)
    if (pod === undefined) {
      if (worker.ended) forget(uid)
      return
    }
    client.updateStatus(pods, { ...pod, status: worker.statusFor(pod) })
    if (worker.ended && pod.metadata.deletionTimestamp !== undefined) finalise(pod)
  }

  const flush = (): void => {
    flushQueued = false
    if (!alive) return
    const batch = [...changed]
    changed.clear()
    for (const uid of batch) {
      try {
        report(uid)
      } catch (error) {
        // The API has the last word; the next change is reported anew.
        if (!(error instanceof ApiError)) throw error
      }
    }
  }

  const forget = (uid: string): void => {
    workers.delete(uid)
    finalised.delete(uid)
    runtime.forgetPod(uid)
  }

  const take = (pod: Stored<Pod>): void => {
    const others = [...workers.values()].filter(({ ended }) => !ended).map((worker) => worker.pod)
    const worker = createPodWorker(pod, parts)
    workers.set(pod.metadata.uid, worker)
    if (worker.ended) {
      if (pod.metadata.deletionTimestamp !== undefined) context.statusChanged(pod.metadata.uid)
      return
    }
    if (pod.metadata.deletionTimestamp !== undefined) {
      worker.update(pod)
      return
    }
    const rejection = admitPod(pod, others, allocatable)
    if (rejection === undefined) return
    const { reason, message } = rejection
    events.record(pod, 'Warning', reason, message)
    worker.end({ reason, message: `Pod was rejected: ${message}`, disruption: false }, 0)
  }

  const unwatch = client.watch(pods, (event) => {
    const pod = event.object
    if (pod.spec.nodeName !== node.name) return
    const worker = workers.get(pod.metadata.uid)
    if (event.type === 'DELETED') {
      worker?.remove()
      if (worker?.ended === true) forget(pod.metadata.uid)
    } else if (worker === undefined) clock.defer(() => takeCurrent(pod))
    else worker.update(pod)
  })

  /** Takes the pod as it is by now: it was seen in the middle of somebody's write. */
  const takeCurrent = ({ metadata }: Stored<Pod>): void => {
    if (workers.has(metadata.uid)) return
    const pod = client.get(pods, metadata.namespace!, metadata.name)
    if (pod?.metadata.uid === metadata.uid) take(pod)
  }

  const heartbeat = createHeartbeat(context, node)
  for (const pod of client.list(pods)) if (pod.spec.nodeName === node.name) take(pod)

  return {
    nodeName: node.name,
    runtime,
    setHealthy(healthy) {
      if (alive === healthy) return
      alive = healthy
      if (!healthy) return
      heartbeat.beat()
      for (const worker of workers.values()) worker.queueSync()
      clock.defer(flush)
    },
    setPressure: heartbeat.setPressure,
    evictPod(namespace, name, reason, message) {
      const pod = client.get(pods, namespace, name)
      const worker = pod === undefined ? undefined : workers.get(pod.metadata.uid)
      if (pod === undefined || worker === undefined || worker.ended) return
      events.record(pod, 'Warning', reason, message)
      worker.end({ reason, message, disruption: true }, 0)
    },
    stop() {
      alive = false
      unwatch()
      links.stop()
      heartbeat.stop()
      for (const worker of workers.values()) worker.abandon()
    },
  }
}
