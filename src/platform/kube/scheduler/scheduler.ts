/** The default scheduler: assigns a node to every pending pod, highest priority first. */
import type { Clock, Random } from '#kit'
import { namespaces } from '#platform/kube/kinds'
import type { Client, EventRecorder } from '#platform/kube/ports'
import { createClusterCache } from './cluster-cache.ts'
import { createNominations } from './nominations.ts'
import { createPodPlacer } from './pod-placer.ts'
import { createSchedulingQueue } from './scheduling-queue.ts'
import { watchCluster } from './watch-cluster.ts'

export interface SchedulerOptions {
  client: Client
  clock: Clock
  random: Random
  /** Must record events for the component `default-scheduler`. */
  events: EventRecorder
  /** Called for internal errors. The scheduler continues and retries the pod. */
  onError?: (source: string, error: unknown) => void
}

export interface Scheduler {
  stop(): void
}

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
  const report = (source: string, error: unknown): void => onError(`scheduler ${source}`, error)
  const placer = createPodPlacer({ client, clock, random, events, cache, nominations, queue, report })

  const drain = (): void => {
    drainQueued = false
    for (const pod of queue.activePods()) {
      if (stopped) return
      placer.place(pod)
    }
  }

  const attempt = (source: string, step: () => void): void => {
    try {
      step()
    } catch (error) {
      report(source, error)
    }
  }
  const unwatch = watchCluster({ client, cache, queue, nominations, waits: placer.waits, attempt })

  return {
    stop() {
      stopped = true
      unwatch()
      queue.clear()
      placer.waits.clear()
    },
  }
}
