/** Places pods: binds each to the chosen node, or records why it cannot be scheduled. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock, Random } from '#kit'
import { pods } from '#platform/kube/kinds'
import { ApiError, type Stored } from '#platform/kube/meta'
import type { Client, EventRecorder } from '#platform/kube/ports'
import { bindVolumes } from './bind-volumes.ts'
import type { ClusterCache } from './cluster-cache.ts'
import { decide, type Refused } from './decide.ts'
import { evictVictims } from './evict-victims.ts'
import { PodRefusal } from './filter.ts'
import type { Nominations } from './nominations.ts'
import type { PodInfo } from './pod-info.ts'
import { writeUnschedulable } from './scheduling-condition.ts'
import type { SchedulingQueue } from './scheduling-queue.ts'
import { createVolumeWaits, type VolumeWaits } from './volume-waits.ts'
import { isWaiting } from './waiting-pod.ts'

export interface PodPlacerOptions {
  client: Client
  clock: Clock
  random: Random
  events: EventRecorder
  cache: ClusterCache
  nominations: Nominations
  queue: SchedulingQueue
  /** Reports an internal error; the pod is retried. */
  report(source: string, error: unknown): void
}

export interface PodPlacer {
  /** Places the pod if it still exists and waits for a node. Does not throw. */
  place(pod: Stored<Pod>): void
  readonly waits: VolumeWaits
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export const createPodPlacer = (options: PodPlacerOptions): PodPlacer => {
  const { client, clock, random, events, cache, nominations, queue, report } = options

  const recordFailure = (pod: Stored<Pod>, message: string, nominatedNode?: string): void => {
    events.record(pod, 'Warning', 'FailedScheduling', message)
    const current = client.get(pods, pod.metadata.namespace!, pod.metadata.name)
    if (current?.metadata.uid === pod.metadata.uid)
      writeUnschedulable(client, current, { message, nominatedNode, now: clock.now() })
  }

  /** Retries a pod after an error, as opposed to a refusal by the filters. */
  const retry = (pod: Stored<Pod>, error: unknown): void => {
    queue.retry(pod)
    const source = `pod ${pod.metadata.namespace}/${pod.metadata.name}`
    if (!(error instanceof ApiError || error instanceof PodRefusal)) report(source, error)
    try {
      recordFailure(pod, messageOf(error))
    } catch (failure) {
      report(source, failure)
    }
  }

  const bind = (pod: Stored<Pod>, node: string): void => {
    const { namespace, name } = pod.metadata
    client.bind(namespace!, name, node)
    events.record(pod, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${name} to ${node}`)
  }

  const waits = createVolumeWaits({ client, clock, cache, onReady: bind, onFailed: retry })

  const refuse = (info: PodInfo, { message, retriesOn, nominatedNode, candidate }: Refused): void => {
    // Queued first, because evictVictims can remove a victim at once, and the removal requeues the pod.
    queue.addUnschedulable(info.pod, retriesOn)
    if (candidate !== undefined)
      evictVictims({ client, events, now: clock.now() }, info, candidate, nominations.all())
    recordFailure(info.pod, message, nominatedNode)
  }

  const schedule = (pod: Stored<Pod>): void => {
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

  const place = (pod: Stored<Pod>): void => {
    const { namespace, name, uid } = pod.metadata
    try {
      const current = client.get(pods, namespace!, name)
      if (current === undefined || current.metadata.uid !== uid || !isWaiting(current)) queue.remove(uid)
      else if (!waits.has(uid)) schedule(current)
    } catch (error) {
      retry(pod, error)
    }
  }

  return { place, waits }
}
