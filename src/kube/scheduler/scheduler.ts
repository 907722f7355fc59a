/** The default scheduler: gives every pod that has none a node, the most important first. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock, Random } from '../../kit/index.ts'
import { namespaces, pods } from '../kinds/index.ts'
import { ApiError, type Stored } from '../meta/index.ts'
import type { Client, EventRecorder } from '../ports/index.ts'
import { bindVolumes } from './bind-volumes.ts'
import { createClusterCache } from './cluster-cache.ts'
import { decide, type Refused } from './decide.ts'
import { PodRefusal } from './filter.ts'
import { makeRoom } from './make-room.ts'
import { createNominations } from './nominations.ts'
import type { PodInfo } from './pod-info.ts'
import { writeUnschedulable } from './scheduling-condition.ts'
import { createSchedulingQueue } from './scheduling-queue.ts'
import { createVolumeWaits } from './volume-waits.ts'
import { isWaiting } from './waiting-pod.ts'
import { watchCluster } from './watch-cluster.ts'

export interface SchedulerOptions {
  client: Client
  clock: Clock
  random: Random
  /** Its component is `default-scheduler`. */
  events: EventRecorder
  /** Told of what went wrong inside the scheduler, which goes on: the pod is tried again. */
  onError?: (where: string, error: unknown) => void
}

export interface Scheduler {
  stop(): void
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export const createScheduler = (options: SchedulerOptions): Scheduler => {
  const { client, clock, random, events, onError = () => {} } = options
  const cache = createClusterCache((name) => client.get(namespaces, '', name)?.metadata.labels)
  const nominations = createNominations()
  let drainQueued = false
  let stopped = false

  const queue = createSchedulingQueue(clock, () => {
    if (drainQueued || stopped) return
    drainQueued = true
    clock.defer(drain)
  })

  const attempt = (where: string, step: () => void): void => {
    try {
      step()
    } catch (error) {
      onError(`scheduler ${where}`, error)
    }
  }

  const tell = (pod: Stored<Pod>, message: string, promised: string | undefined): void => {
    events.record(pod, 'Warning', 'FailedScheduling', message)
    const current = client.get(pods, pod.metadata.namespace!, pod.metadata.name)
    if (current?.metadata.uid === pod.metadata.uid)
      writeUnschedulable(client, current, message, promised, clock.now())
  }

  /** The pod was not refused: an attempt to place it has failed, and the next may not. */
  const giveUp = (pod: Stored<Pod>, error: unknown): void => {
    queue.retry(pod)
    const where = `pod ${pod.metadata.namespace}/${pod.metadata.name}`
    if (!(error instanceof ApiError || error instanceof PodRefusal)) onError(`scheduler ${where}`, error)
    attempt(where, () => tell(pod, textOf(error), undefined))
  }

  const bind = (pod: Stored<Pod>, node: string): void => {
    const { namespace, name } = pod.metadata
    client.bind(namespace!, name, node)
    events.record(pod, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${name} to ${node}`)
  }

  const waits = createVolumeWaits({ client, clock, cache, onReady: bind, onFailed: giveUp })

  const refuse = (info: PodInfo, { message, wakesOn, promised, candidate }: Refused): void => {
    if (candidate !== undefined)
      makeRoom({ client, events, now: clock.now() }, info, candidate, nominations.all())
    queue.setAside(info.pod, wakesOn)
    tell(info.pod, message, promised)
  }

  const place = (pod: Stored<Pod>): void => {
    const info = cache.infoOf(pod)
    const decision = decide(info, { nodes: cache.nodes(), client }, nominations, random)
    if ('refused' in decision) {
      refuse(info, decision.refused)
      return
    }
    const { node, name } = decision.node
    if (bindVolumes(client, pod, node)) bind(pod, name)
    else waits.add(pod, name)
  }

  const placeCurrent = ({ metadata }: Stored<Pod>): void => {
    const pod = client.get(pods, metadata.namespace!, metadata.name)
    if (pod === undefined || pod.metadata.uid !== metadata.uid || !isWaiting(pod)) queue.remove(metadata.uid)
    else if (!waits.has(metadata.uid)) place(pod)
  }

  const drain = (): void => {
    drainQueued = false
    for (const pod of queue.takeActive()) {
      if (stopped) return
      try {
        placeCurrent(pod)
      } catch (error) {
        giveUp(pod, error)
      }
    }
  }

  const unwatch = watchCluster({ client, cache, queue, nominations, waits, attempt })

  return {
    stop() {
      stopped = true
      unwatch()
      queue.clear()
      waits.clear()
    },
  }
}
