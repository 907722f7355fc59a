/** Brings one pod from bound to running to gone: volumes, sandbox, containers in their order, and the end. */
import type { Pod, PodStatus } from 'kubernetes-types/core/v1.d.ts'
import { isPodTerminal } from '../kinds/index.ts'
import { fromTime, type Stored } from '../meta/index.ts'
import { createActiveDeadline } from './active-deadline.ts'
import type { ContainerRecord } from './container-record.ts'
import { createPodWork, type PodWorkParts } from './create-pod-work.ts'
import { createVolumeMount } from './create-volume-mount.ts'
import { createSandbox, removeSandbox } from './pod-sandbox.ts'
import { type PodEnding, podStatus } from './pod-status.ts'
import { type PodWork, podIPOf, type Stopping } from './pod-work.ts'
import { stopAll } from './stop-container.ts'
import { createStorageCheck } from './storage-check.ts'
import { isFinished, startContainers, updateContainers } from './sync-containers.ts'

const DEADLINE_MESSAGE = 'Pod was active on the node longer than the specified deadline'

export interface PodWorker {
  readonly pod: Stored<Pod>
  /** Nothing of the pod is left on the node. */
  readonly ended: boolean
  /** The stored pod has changed. */
  update(pod: Stored<Pod>): void
  /** Turns away a pod that was never begun. */
  reject(reason: string, message: string): void
  /** Ends the pod at once for want of something on the node, and says so. */
  evict(reason: string, message: string): void
  /** Looks whether its volumes should show something else. */
  refreshVolumes(): void
  /** The pod is no longer in the API: clears it away. */
  remove(): void
  /** Lets go of the pod without touching it: the kubelet stops. */
  abandon(): void
  /** Looks at the pod again. */
  queueSync(): void
  /** The status to report, on top of what is stored. */
  statusFor(stored: Stored<Pod>): PodStatus
}

/** Containers that never ran, though they would have been next, are reported as lost. */
const markLost = (records: readonly ContainerRecord[]): void => {
  const initialised = records.every(({ role, terminated }) => role !== 'init' || terminated?.exitCode === 0)
  for (const record of records) {
    record.waiting = undefined
    if (record.role === 'main' && record.terminated === undefined && initialised)
      record.terminated = {
        exitCode: 137,
        reason: 'ContainerStatusUnknown',
        message: 'The container could not be located when the pod was terminated',
      }
  }
}

const ownGraceMs = ({ pod }: PodWork): number => (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000

export const createPodWorker = (initial: Stored<Pod>, parts: PodWorkParts): PodWorker => {
  const { clock, events, runtime, hostIP } = parts.context
  const startedAt = initial.status.startTime === undefined ? clock.now() : fromTime(initial.status.startTime)
  const wasTerminal = isPodTerminal(initial)

  const sync = (): void => {
    if (work.stopping !== undefined) {
      continueStopping(work.stopping)
      return
    }
    deadline.follow()
    const volumes = mount.volumes()
    if (volumes === undefined) return
    if (work.sandbox === undefined) {
      createSandbox(work, volumes)
      return
    }
    mount.catchUp()
    storage.begin()
    startContainers(work)
    if (isFinished(work)) stop(ownGraceMs(work))
  }

  const work = createPodWork(initial, parts, sync)
  const mount = createVolumeMount(work)

  const letGo = (): void => {
    work.letGo()
    deadline.cancel()
    storage.cancel()
    mount.close()
  }

  const conclude = (): void => {
    letGo()
    markLost(work.records)
    work.changed()
  }

  const continueStopping = (stopping: Stopping): void => {
    if (!stopAll(work, stopping)) return
    if (work.sandbox !== undefined) removeSandbox(work, work.sandbox, conclude)
    else if (work.sandboxActivity === undefined) conclude()
  }

  const stop = (graceMs: number, ending?: PodEnding): void => {
    if (work.ended) return
    work.stopping ??= { graceMs, ending }
    work.queueSync()
  }

  const deadline = createActiveDeadline(work, startedAt, () => {
    const ending = { reason: 'DeadlineExceeded', message: DEADLINE_MESSAGE, disruption: false }
    stop(ownGraceMs(work), ending)
    events.record(work.pod, 'Normal', 'DeadlineExceeded', DEADLINE_MESSAGE)
  })

  const evict = (reason: string, message: string): void => {
    if (work.ended || work.stopping !== undefined) return
    events.record(work.pod, 'Warning', reason, message)
    stop(0, { reason, message, disruption: true })
  }

  const storage = createStorageCheck(work, (message) => evict('Evicted', message))

  /** Stops the pod, or shortens the time that an earlier stop has left to its containers. */
  const stopWithin = (graceMs: number): void => {
    stop(graceMs)
    const { stopping } = work
    const endsAt = clock.now() + graceMs
    if (work.ended || stopping === undefined || (stopping.endsAt ?? Number.POSITIVE_INFINITY) <= endsAt)
      return
    stopping.graceMs = Math.min(stopping.graceMs, graceMs)
    if (stopping.endsAt !== undefined) stopping.endsAt = endsAt
    for (const { activity, instance } of work.records)
      if (activity === 'stopping' && instance !== undefined) runtime.stopContainer(instance.id, graceMs)
  }

  const update = (pod: Stored<Pod>): void => {
    const before = work.pod
    work.pod = pod
    if (pod.metadata.deletionTimestamp !== undefined) {
      if (work.ended) work.changed()
      else stopWithin((pod.metadata.deletionGracePeriodSeconds ?? 30) * 1000)
      return
    }
    if (pod.spec !== before.spec) {
      updateContainers(work)
      work.queueSync()
    }
    mount.podChanged(before)
    if (pod.spec.readinessGates !== undefined && pod.status !== before.status) work.changed()
  }

  if (!work.ended) {
    work.changed()
    work.queueSync()
  }

  return {
    get pod() {
      return work.pod
    },
    get ended() {
      return work.ended
    },
    queueSync: work.queueSync,
    update: (pod) => {
      work.attempt(() => update(pod))
    },
    reject(reason, message) {
      const ending = { reason, message: `Pod was rejected: ${message}`, disruption: false }
      stop(0, ending)
      events.record(initial, 'Warning', reason, message)
    },
    evict,
    refreshVolumes: mount.refresh,
    remove: () => {
      work.attempt(() => stopWithin(0))
    },
    abandon() {
      letGo()
      for (const record of work.records) record.stopProbes?.()
    },
    statusFor(stored) {
      if (wasTerminal) return stored.status
      return podStatus(stored, {
        records: work.records,
        hostIP,
        podIP: podIPOf(work),
        startedAt,
        ended: work.ended,
        ending: work.ended ? work.stopping?.ending : undefined,
        now: clock.now(),
      })
    },
  }
}
