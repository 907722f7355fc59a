/** Runs one pod from binding to deletion: volumes, sandbox, containers in order, and the stop. */
import type { Pod, PodStatus } from 'kubernetes-types/core/v1.d.ts'
import { isPodTerminal } from '#platform/kube/kinds'
import { fromTime, type Stored } from '#platform/kube/meta'
import type { ContainerRecord } from '../containers/container-record.ts'
import { isFinished, startContainers, updateContainers } from '../containers/sync-containers.ts'
import { createVolumeMount, type VolumeMount } from '../volumes/create-volume-mount.ts'
import { createStorageCheck } from '../volumes/storage-check.ts'
import { createActiveDeadline } from './active-deadline.ts'
import { createPodWork, type PodWorkParts } from './create-pod-work.ts'
import { createSandbox } from './pod-sandbox.ts'
import { podStatus } from './pod-status.ts'
import { createPodStop, type PodStop } from './pod-stop.ts'
import { type PodWork, podIPOf } from './pod-work.ts'

const DEADLINE_MESSAGE = 'Pod was active on the node longer than the specified deadline'

export interface PodWorker {
  readonly pod: Stored<Pod>
  /** The pod's containers and sandbox are removed, or the kubelet has released the pod. */
  readonly ended: boolean
  /** Handles a new version of the stored pod. */
  update(pod: Stored<Pod>): void
  /** Rejects a pod before any of its containers is started. */
  reject(reason: string, message: string): void
  /** Ends the pod at once and records the event. */
  evict(reason: string, message: string): void
  /** Updates the content of its volumes. */
  refreshVolumes(): void
  /** Stops a pod that is no longer in the API. */
  remove(): void
  /** Releases the pod without stopping it, because the kubelet stops. */
  abandon(): void
  /** Syncs the pod at the end of this turn. */
  queueSync(): void
  /** The status to report, based on the stored one. */
  statusFor(stored: Stored<Pod>): PodStatus
}

/** Marks main containers as lost if they were due but never ran. */
const markLost = (records: readonly ContainerRecord[]): void => {
  const isInitialised = records.every(({ role, terminated }) => role !== 'init' || terminated?.exitCode === 0)
  for (const record of records) {
    record.waiting = undefined
    if (record.role === 'main' && record.terminated === undefined && isInitialised)
      record.terminated = {
        exitCode: 137,
        reason: 'ContainerStatusUnknown',
        message: 'The container could not be located when the pod was terminated',
      }
  }
}

const gracePeriodMs = ({ pod }: PodWork): number => (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000

interface WorkerParts {
  work: PodWork
  mount: VolumeMount
  podStop: PodStop
  evict(reason: string, message: string): void
  /** Ends the work and cancels all timers of its parts. */
  release(): void
}

const createParts = (initial: Stored<Pod>, parts: PodWorkParts, startedAt: number): WorkerParts => {
  const { events } = parts.context

  const sync = (): void => {
    if (work.stopping !== undefined) {
      podStop.advance(work.stopping)
      return
    }
    deadline.update()
    const volumes = mount.volumes()
    if (volumes === undefined) return
    if (work.sandbox === undefined) {
      createSandbox(work, volumes)
      return
    }
    mount.catchUp()
    storage.start()
    startContainers(work)
    if (isFinished(work)) podStop.start(gracePeriodMs(work))
  }

  const work = createPodWork(initial, parts, sync)
  const mount = createVolumeMount(work)

  const release = (): void => {
    work.close()
    deadline.cancel()
    storage.cancel()
    mount.close()
  }

  const podStop = createPodStop(work, () => {
    release()
    markLost(work.records)
    work.queueReport()
  })

  const deadline = createActiveDeadline(work, startedAt, () => {
    const ending = { reason: 'DeadlineExceeded', message: DEADLINE_MESSAGE, disruption: false }
    podStop.start(gracePeriodMs(work), ending)
    events.record(work.pod, 'Normal', 'DeadlineExceeded', DEADLINE_MESSAGE)
  })

  const evict = (reason: string, message: string): void => {
    if (work.ended || work.stopping !== undefined) return
    events.record(work.pod, 'Warning', reason, message)
    podStop.start(0, { reason, message, disruption: true })
  }
  const storage = createStorageCheck(work, (message) => evict('Evicted', message))

  return { work, mount, podStop, evict, release }
}

const updatePod = ({ work, mount, podStop }: WorkerParts, pod: Stored<Pod>): void => {
  const before = work.pod
  work.pod = pod
  if (pod.metadata.deletionTimestamp !== undefined) {
    if (work.ended) work.queueReport()
    else podStop.startWithin((pod.metadata.deletionGracePeriodSeconds ?? 30) * 1000)
    return
  }
  if (pod.spec !== before.spec) {
    updateContainers(work)
    work.queueSync()
  }
  mount.podChanged(before)
  if (pod.spec.readinessGates !== undefined && pod.status !== before.status) work.queueReport()
}

export const createPodWorker = (initial: Stored<Pod>, parts: PodWorkParts): PodWorker => {
  const { clock, events, hostIP } = parts.context
  const startedAt = initial.status.startTime === undefined ? clock.now() : fromTime(initial.status.startTime)
  const wasTerminal = isPodTerminal(initial)
  const worker = createParts(initial, parts, startedAt)
  const { work, mount, podStop } = worker

  if (!work.ended) {
    work.queueReport()
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
      work.attempt(() => updatePod(worker, pod))
    },
    reject(reason, message) {
      podStop.start(0, {
        reason,
        message: `Pod was rejected: ${message}`,
        disruption: false,
        isRejection: true,
      })
      events.record(initial, 'Warning', reason, message)
    },
    evict: worker.evict,
    refreshVolumes: mount.refresh,
    remove: () => {
      work.attempt(() => podStop.startWithin(0))
    },
    abandon() {
      worker.release()
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
