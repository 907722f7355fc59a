/** The default scheduler: gives every pod that has none a node, the most important first. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { type Clock, deepEqual, type Random } from '../../kit/index.ts'
import {
  isPodTerminal,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  storageClasses,
} from '../kinds/index.ts'
import { ApiError, type Stored } from '../meta/index.ts'
import type { Client, EventRecorder, WatchEvent } from '../ports/index.ts'
import { bindVolumes } from './bind-volumes.ts'
import { chooseNode } from './choose-node.ts'
import { createClusterCache } from './cluster-cache.ts'
import type { Cluster, ClusterChange } from './filter.ts'
import { type Fit, findFit } from './fit.ts'
import { fitMessage } from './fit-message.ts'
import { makeRoom } from './make-room.ts'
import type { PodInfo } from './pod-info.ts'
import { preempt } from './preemption.ts'
import { writeUnschedulable } from './scheduling-condition.ts'
import { createSchedulingQueue } from './scheduling-queue.ts'
import { createVolumeWaits } from './volume-waits.ts'

const NAME = 'default-scheduler'
const ANY_CHANGE: ReadonlySet<ClusterChange> = new Set(['node', 'pod-removed', 'pod-assigned', 'volume'])

export interface SchedulerOptions {
  client: Client
  clock: Clock
  random: Random
  /** Its component is `default-scheduler`. */
  events: EventRecorder
}

export interface Scheduler {
  stop(): void
}

const hasNode = (pod: Stored<Pod>): boolean => pod.spec.nodeName !== undefined && pod.spec.nodeName !== ''

/** Whether the pod is this scheduler's to place, now. */
const isWaiting = (pod: Stored<Pod>): boolean =>
  !hasNode(pod) &&
  (pod.spec.schedulerName ?? NAME) === NAME &&
  (pod.spec.schedulingGates ?? []).length === 0 &&
  pod.metadata.deletionTimestamp === undefined &&
  !isPodTerminal(pod)

export const createScheduler = ({ client, clock, random, events }: SchedulerOptions): Scheduler => {
  const cache = createClusterCache((name) => client.get(namespaces, '', name)?.metadata.labels)
  const nominated = new Map<string, PodInfo>()
  let drainQueued = false
  let stopped = false

  const queue = createSchedulingQueue(clock, () => {
    if (drainQueued || stopped) return
    drainQueued = true
    clock.defer(drain)
  })

  const promisedOn = (nodeName: string, { pod, priority }: PodInfo): readonly PodInfo[] =>
    nominated.size === 0
      ? []
      : [...nominated.values()].filter(
          (other) =>
            other.pod.status.nominatedNodeName === nodeName &&
            other.priority >= priority &&
            other.pod.metadata.uid !== pod.metadata.uid,
        )

  const fail = (
    pod: Stored<Pod>,
    message: string,
    nominatedNode: string | undefined,
    wakesOn: ReadonlySet<ClusterChange>,
  ): void => {
    queue.setAside(pod, wakesOn)
    events.record(pod, 'Warning', 'FailedScheduling', message)
    const current = client.get(pods, pod.metadata.namespace!, pod.metadata.name)
    if (current?.metadata.uid === pod.metadata.uid)
      writeUnschedulable(client, current, message, nominatedNode, clock.now())
  }

  const bind = (pod: Stored<Pod>, node: string): void => {
    const { namespace, name } = pod.metadata
    client.bind(namespace!, name, node)
    events.record(pod, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${name} to ${node}`)
  }

  const waits = createVolumeWaits({
    client,
    clock,
    cache,
    onReady: bind,
    onFailed: (pod, message) => fail(pod, message, undefined, ANY_CHANGE),
  })

  const refuse = (info: PodInfo, fit: Fit, cluster: Cluster): void => {
    const outcome = preempt(info, fit, cluster)
    const wakesOn = new Set([...fit.refusedBy].flatMap((filter) => filter.wakesOn))
    const told = {
      nodeCount: cluster.nodes.length,
      reasons: [...fit.refusals.values()].map(({ reasons }) => reasons),
      podReason: fit.podRefusal,
    }
    if ('candidate' in outcome) {
      makeRoom({ client, events, now: clock.now() }, info, outcome.candidate, [...nominated.values()])
      fail(info.pod, fitMessage(told), outcome.candidate.node.name, wakesOn)
      return
    }
    const kept = outcome.keepsPromise ? info.pod.status.nominatedNodeName : undefined
    fail(info.pod, fitMessage({ ...told, afterwards: outcome.message }), kept, wakesOn)
  }

  const place = (pod: Stored<Pod>): void => {
    const cluster: Cluster = { nodes: cache.nodes(), client }
    if (cluster.nodes.length === 0) {
      fail(pod, 'no nodes available to schedule pods', undefined, new Set(['node']))
      return
    }
    const info = cache.infoOf(pod)
    const fit = findFit(info, cluster, (nodeName) => promisedOn(nodeName, info))
    if (fit.feasible.length === 0) {
      refuse(info, fit, cluster)
      return
    }
    // A promised node is taken if it fits by now, without a look at the others.
    const promised = fit.feasible.find(({ name }) => name === pod.status.nominatedNodeName)
    const { node, name } = promised ?? chooseNode(info, fit.feasible, cluster, random)
    if (bindVolumes(client, pod, node)) bind(pod, name)
    else waits.add(pod, name)
  }

  const drain = (): void => {
    drainQueued = false
    for (const { metadata } of queue.takeActive()) {
      if (stopped) return
      const pod = client.get(pods, metadata.namespace!, metadata.name)
      if (pod === undefined || pod.metadata.uid !== metadata.uid || !isWaiting(pod)) {
        queue.remove(metadata.uid)
        continue
      }
      if (waits.has(metadata.uid)) continue
      try {
        place(pod)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        fail(pod, error.message, undefined, ANY_CHANGE)
      }
    }
  }

  const onVolume = (): void => {
    queue.wake('volume')
    waits.check()
  }

  const forget = (uid: string): void => {
    queue.remove(uid)
    nominated.delete(uid)
    waits.remove(uid)
  }

  const onWaitingPod = (pod: Stored<Pod>, old: Stored<Pod> | undefined): void => {
    const { uid } = pod.metadata
    if (pod.status.nominatedNodeName === undefined) nominated.delete(uid)
    else nominated.set(uid, cache.infoOf(pod))
    // The scheduler's own notes on a pod are no reason to try it again.
    const isNews =
      old === undefined ||
      !isWaiting(old) ||
      !deepEqual(old.spec, pod.spec) ||
      !deepEqual(old.metadata.labels, pod.metadata.labels)
    if (isNews) queue.add(pod)
    else queue.refresh(pod)
  }

  const onPod = (event: WatchEvent<Pod>): void => {
    const { object: pod, old, type } = event
    const { uid } = pod.metadata
    if (type === 'DELETED') {
      forget(uid)
      cache.removePod(uid)
      if (hasNode(pod)) queue.wake('pod-removed')
      return
    }
    if (!hasNode(pod)) {
      if (isWaiting(pod)) onWaitingPod(pod, old)
      else forget(uid)
      return
    }
    const isNew = old === undefined || !hasNode(old)
    if (isNew) forget(uid)
    cache.setPod(pod)
    if (isNew) queue.wake('pod-assigned')
    else if (isPodTerminal(pod) && !isPodTerminal(old)) queue.wake('pod-removed')
  }

  for (const node of client.list(nodes)) cache.setNode(node)
  const unwatch = [
    client.watch(nodes, ({ type, object }) => {
      if (type === 'DELETED') cache.removeNode(object.metadata.name)
      else if (cache.setNode(object)) queue.wake('node')
    }),
    client.watch(pods, onPod),
    client.watch(persistentVolumeClaims, onVolume),
    client.watch(persistentVolumes, onVolume),
    client.watch(storageClasses, onVolume),
  ]
  for (const object of client.list(pods)) onPod({ type: 'ADDED', object })

  return {
    stop() {
      stopped = true
      for (const end of unwatch) end()
      queue.clear()
      waits.clear()
    },
  }
}
