/** Brings one pod from bound to running to gone: volumes, sandbox, containers in their order, and the end. */
import type { Pod, PodStatus } from 'kubernetes-types/core/v1.d.ts'
import type { Timer } from '../../kit/index.ts'
import { isPodTerminal } from '../kinds/index.ts'
import { fromTime, type Stored } from '../meta/index.ts'
import type { FileVolume } from '../ports/index.ts'
import type { BackOff } from './back-off.ts'
import { recordsOf } from './container-record.ts'
import type { ImagePuller } from './image-puller.ts'
import type { KubeletContext } from './kubelet-context.ts'
import { type PodEnding, podStatus } from './pod-status.ts'
import { MountError, resolveVolumes } from './pod-volumes.ts'
import { type PodWork, placeOf, podIPOf, type Stopping } from './pod-work.ts'
import { stopAll } from './stop-container.ts'
import { isFinished, startContainers, updateContainers } from './sync-containers.ts'

/** A failed step is tried again after this time, and up to half as much more. */
const RESYNC_MS = 10_000
/** The real kubelet lists its containers every second, and looks at a pod whose sandbox is new. */
const RELIST_MS = 1000
const MOUNT_RETRY = { firstMs: 500, limitMs: 122_000 }
const DEADLINE_MESSAGE = 'Pod was active on the node longer than the specified deadline'

export interface PodWorker {
  readonly pod: Stored<Pod>
  /** Nothing of the pod is left on the node. */
  readonly ended: boolean
  /** The stored pod has changed. */
  update(pod: Stored<Pod>): void
  /** Ends the pod for a reason of the node. */
  end(ending: PodEnding, graceMs: number): void
  /** The pod is no longer in the API: clears it away. */
  remove(): void
  /** Lets go of the pod without touching it: the kubelet stops. */
  abandon(): void
  /** Looks at the pod again. */
  queueSync(): void
  /** The status to report, on top of what is stored. */
  statusFor(stored: Stored<Pod>): PodStatus
}

export interface PodWorkerParts {
  context: KubeletContext
  restarts: BackOff
  images: ImagePuller
}

export const createPodWorker = (initial: Stored<Pod>, parts: PodWorkerParts): PodWorker => {
  const { context } = parts
  const { clock, random, events, runtime } = context
  const startedAt = initial.status.startTime === undefined ? clock.now() : fromTime(initial.status.startTime)
  let syncQueued = false
  let resync: Timer | undefined
  let deadline: Timer | undefined
  let deadlineSeconds: number | undefined
  let volumes: readonly FileVolume[] | undefined
  let mountRetryMs = MOUNT_RETRY.firstMs
  let sandboxAsked = false
  let sandboxFresh = false
  let ended = isPodTerminal(initial)
  const wasTerminal = ended

  const work: PodWork = {
    ...parts,
    pod: initial,
    records: recordsOf(initial.spec),
    queueSync() {
      if (syncQueued || ended) return
      syncQueued = true
      clock.defer(() => {
        syncQueued = false
        if (!ended && context.isAlive()) sync()
      })
    },
    resyncLater() {
      if (resync !== undefined || ended) return
      resyncAfter(sandboxFresh ? RELIST_MS : RESYNC_MS * (1 + random.next() / 2))
      sandboxFresh = false
    },
    changed() {
      // A kubelet that is stopping the containers of a pod tells of their end when it is through with all.
      if (work.stopping === undefined || ended) context.statusChanged(initial.metadata.uid)
    },
  }

  const resyncAfter = (milliseconds: number): void => {
    resync = clock.after(milliseconds, () => {
      resync = undefined
      work.queueSync()
    })
  }

  const mount = (): boolean => {
    if (volumes !== undefined) return true
    try {
      volumes = resolveVolumes(context, work.pod, placeOf(work))
      return true
    } catch (error) {
      if (!(error instanceof MountError)) throw error
      if (resync !== undefined) return false
      events.record(work.pod, 'Warning', 'FailedMount', error.message)
      resyncAfter(mountRetryMs)
      mountRetryMs = Math.min(mountRetryMs * 2, MOUNT_RETRY.limitMs)
      return false
    }
  }

  const askForSandbox = (): void => {
    if (sandboxAsked) return
    sandboxAsked = true
    runtime.createSandbox(work.pod, volumes ?? [], (outcome) => {
      sandboxAsked = false
      if (outcome.ok) {
        work.sandbox = outcome.value
        sandboxFresh = true
        return work.queueSync()
      }
      const message = `Failed to create pod sandbox: rpc error: code = Unknown desc = ${outcome.error.message}`
      events.record(work.pod, 'Warning', 'FailedCreatePodSandBox', message)
      if (work.stopping === undefined) work.resyncLater()
      else work.queueSync()
    })
  }

  const conclude = (): void => {
    ended = true
    resync?.cancel()
    deadline?.cancel()
    const initialised = work.records.every(
      ({ role, terminated }) => role !== 'init' || terminated?.exitCode === 0,
    )
    for (const record of work.records) {
      record.waiting = undefined
      if (record.role === 'main' && record.terminated === undefined && initialised)
        record.terminated = {
          exitCode: 137,
          reason: 'ContainerStatusUnknown',
          message: 'The container could not be located when the pod was terminated',
        }
    }
    work.changed()
  }

  const continueStopping = ({ graceMs }: Stopping): void => {
    if (!stopAll(work, graceMs) || sandboxAsked) return
    sandboxAsked = true
    if (work.sandbox === undefined) conclude()
    else runtime.removeSandbox(work.sandbox, conclude)
  }

  const stop = (stopping: Stopping): void => {
    if (ended) return
    if (work.stopping === undefined) work.stopping = stopping
    work.queueSync()
  }

  /** Stops the pod, or shortens the time that an earlier stop has left to its containers. */
  const stopWithin = (graceMs: number): void => {
    stop({ graceMs })
    if (ended || work.stopping === undefined || work.stopping.graceMs <= graceMs) return
    work.stopping.graceMs = graceMs
    for (const { activity, instance } of work.records)
      if (activity === 'stopping' && instance !== undefined) runtime.stopContainer(instance.id, graceMs)
  }

  const watchDeadline = (): void => {
    const seconds = work.pod.spec.activeDeadlineSeconds
    if (seconds === deadlineSeconds) return
    deadlineSeconds = seconds
    deadline?.cancel()
    if (seconds === undefined) return
    deadline = clock.after(startedAt + seconds * 1000 - clock.now(), () => {
      events.record(work.pod, 'Normal', 'DeadlineExceeded', DEADLINE_MESSAGE)
      const ending = { reason: 'DeadlineExceeded', message: DEADLINE_MESSAGE, disruption: false }
      stop({ graceMs: (work.pod.spec.terminationGracePeriodSeconds ?? 30) * 1000, ending })
    })
  }

  const sync = (): void => {
    if (work.stopping !== undefined) {
      continueStopping(work.stopping)
      return
    }
    watchDeadline()
    if (!mount()) return
    if (work.sandbox === undefined) {
      askForSandbox()
      return
    }
    startContainers(work)
    if (isFinished(work)) stop({ graceMs: (work.pod.spec.terminationGracePeriodSeconds ?? 30) * 1000 })
  }

  if (!ended) {
    work.changed()
    work.queueSync()
  }

  return {
    get pod() {
      return work.pod
    },
    get ended() {
      return ended
    },
    queueSync: work.queueSync,
    update(pod) {
      const before = work.pod
      work.pod = pod
      if (pod.metadata.deletionTimestamp !== undefined) {
        if (ended) return work.changed()
        return stopWithin((pod.metadata.deletionGracePeriodSeconds ?? 30) * 1000)
      }
      if (pod.spec !== before.spec) {
        updateContainers(work)
        work.queueSync()
      }
      if (pod.spec.readinessGates !== undefined && pod.status !== before.status) work.changed()
    },
    end: (ending, graceMs) => stop({ graceMs, ending }),
    remove: () => stopWithin(0),
    abandon() {
      ended = true
      resync?.cancel()
      deadline?.cancel()
      for (const record of work.records) record.stopProbes?.()
    },
    statusFor(stored) {
      if (wasTerminal) return stored.status
      return podStatus(stored, {
        records: work.records,
        hostIP: context.hostIP,
        podIP: podIPOf(work),
        startedAt,
        ended,
        ending: ended ? work.stopping?.ending : undefined,
        now: clock.now(),
      })
    },
  }
}
