/** Starts one container of a pod (back-off, image, environment, runtime) and records its state. */
import type { Container, ContainerStateWaiting } from 'kubernetes-types/core/v1.d.ts'
import { defined } from '#kit'
import { toTime } from '#platform/kube/meta'
import { type ContainerExit, ContainerStartError, type RunningContainer } from '#platform/kube/ports'
import { locationOf, type PodWork, podIPOf } from '../pods/pod-work.ts'
import { goDuration } from './back-off.ts'
import { containerEnvironment, expandCommand } from './container-environment.ts'
import { type ContainerRecord, fieldPathOf, podText, shouldRun } from './container-record.ts'
import { runHook } from './lifecycle-hook.ts'
import { startProbes } from './probes.ts'
import { stopContainer } from './stop-container.ts'

const recordNormal = (work: PodWork, record: ContainerRecord, reason: string, message: string): void =>
  work.context.events.record(work.pod, 'Normal', reason, message, fieldPathOf(record))

const recordWarning = (work: PodWork, record: ContainerRecord, reason: string, message: string): void =>
  work.context.events.record(work.pod, 'Warning', reason, message, fieldPathOf(record))

const markWaiting = (work: PodWork, record: ContainerRecord, waiting: ContainerStateWaiting): void => {
  record.activity = 'idle'
  record.waiting = waiting
  record.nextWaiting = waiting
  work.queueReport()
  work.resyncLater()
}

/**
 * Whether a container that has ended must wait before its restart. If the kubelet stopped it because of a probe or a
 * changed image, the exit of the previous instance counts, so the first such restart has no pause.
 */
const mustPause = (work: PodWork, record: ContainerRecord): boolean => {
  const endedAt = record.restarting === true ? record.previouslyFinishedAt : record.finishedAt
  record.restarting = false
  if (endedAt === undefined) return false
  const { pod, restarts, context } = work
  const { name } = record.spec
  // Each image has its own back-off.
  const key = `${pod.metadata.uid}/${name}/${record.spec.image}`
  const now = context.clock.now()
  if (!restarts.isWaiting(key, endedAt, now)) {
    restarts.next(key, endedAt, now)
    return false
  }
  recordWarning(
    work,
    record,
    'BackOff',
    `Back-off restarting failed container ${name} in pod ${podText(pod)}`,
  )
  const pause = goDuration(restarts.pauseMs(key))
  record.nextWaiting = {
    reason: 'CrashLoopBackOff',
    message: `back-off ${pause} restarting failed container=${name} pod=${podText(pod)}`,
  }
  work.resyncLater()
  return true
}

const handleExit = (work: PodWork, record: ContainerRecord, exit: ContainerExit): void => {
  const now = work.context.clock.now()
  record.stopProbes?.()
  record.stopProbes = undefined
  record.activity = 'idle'
  record.previous = record.terminated
  record.terminated = defined({
    exitCode: exit.exitCode,
    signal: exit.signal,
    reason: exit.reason,
    message: exit.message,
    startedAt: toTime(record.startedAt ?? now),
    finishedAt: toTime(now),
    containerID: record.instance?.id,
  })
  record.previouslyFinishedAt = record.finishedAt
  record.finishedAt = now
  record.startedAt = undefined
  record.waiting = undefined
  record.nextWaiting = undefined
  record.started = false
  record.ready = record.role === 'init' && exit.exitCode === 0
  work.queueReport()
  work.queueSync()
}

const restartUnhealthy = (
  work: PodWork,
  record: ContainerRecord,
  kind: 'startup' | 'liveness',
  graceSeconds: number | undefined,
): void => {
  const policy = work.pod.spec.restartPolicy
  const willRestart = record.role === 'sidecar' || policy !== 'Never'
  const suffix = willRestart ? ', will be restarted' : ''
  const message = `Container ${record.spec.name} failed ${kind} probe${suffix}`
  record.restarting = true
  const seconds = graceSeconds ?? work.pod.spec.terminationGracePeriodSeconds ?? 30
  stopContainer(work, record, message, seconds * 1000)
}

const markRunning = (work: PodWork, record: ContainerRecord): void => {
  record.stopProbes = startProbes({
    context: work.context,
    pod: work.pod,
    podIP: podIPOf(work) ?? '',
    record,
    onChange() {
      work.queueReport()
      work.queueSync()
    },
    onUnhealthy: (kind, probe) => restartUnhealthy(work, record, kind, probe.terminationGracePeriodSeconds),
  })
  work.queueReport()
  work.queueSync()
}

/** Stops a container whose image has changed; it restarts without a pause. */
export const restartChanged = (work: PodWork, record: ContainerRecord): void => {
  if (record.activity !== 'running') return
  record.restarting = true
  const message = `Container ${record.spec.name} definition changed, will be restarted`
  stopContainer(work, record, message, (work.pod.spec.terminationGracePeriodSeconds ?? 30) * 1000)
}

/** Records that the main process runs. Probes start after the postStart hook. */
const handleLaunch = (work: PodWork, record: ContainerRecord, instance: RunningContainer): void => {
  record.attempt += 1
  record.instance = instance
  record.activity = 'running'
  record.startedAt = work.context.clock.now()
  record.waiting = undefined
  record.nextWaiting = undefined
  recordNormal(work, record, 'Created', `Created container: ${record.spec.name}`)
  recordNormal(work, record, 'Started', `Started container ${record.spec.name}`)
  if (work.stopping !== undefined) {
    work.queueSync()
    return
  }
  const handler = record.spec.lifecycle?.postStart
  if (handler === undefined) {
    markRunning(work, record)
    return
  }
  const { pod } = work
  const hook = { kind: 'postStart' as const, handler, pod, podIP: podIPOf(work) ?? '', record }
  runHook(work.context, { ...hook, timeoutMs: 120_000 }, (ok) => {
    if (work.ended || record.instance !== instance || record.activity !== 'running') return
    if (ok) return markRunning(work, record)
    stopContainer(work, record, 'FailedPostStartHook', (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000)
  })
}

/** The reasons why a container waits, keyed by the stage that failed. */
const WAITING_REASONS = {
  config: 'CreateContainerConfigError',
  create: 'CreateContainerError',
  start: 'RunContainerError',
} as const

const handleLaunchFailure = (work: PodWork, record: ContainerRecord, error: Error): void => {
  const { message } = error
  const stage = error instanceof ContainerStartError ? error.stage : 'create'
  if (stage === 'start' && error instanceof ContainerStartError) {
    record.attempt += 1
    record.instance = error.container
    recordNormal(work, record, 'Created', `Created container: ${record.spec.name}`)
    const now = work.context.clock.now()
    record.previous = record.terminated
    record.terminated = {
      exitCode: 128,
      reason: 'StartError',
      message,
      startedAt: toTime(0),
      finishedAt: toTime(now),
      ...defined({ containerID: error.container?.id }),
    }
    record.previouslyFinishedAt = record.finishedAt
    record.finishedAt = now
  }
  recordWarning(work, record, 'Failed', `Error: ${message}`)
  markWaiting(work, record, { reason: WAITING_REASONS[stage], message })
}

const resolveConfiguration = (
  work: PodWork,
  record: ContainerRecord,
): { container: Container; environment: Record<string, string> } | undefined => {
  const { context, pod } = work
  try {
    const links = context.serviceLinks(pod.metadata.namespace!, pod.spec.enableServiceLinks !== false)
    const source = { client: context.client, pod, container: record.spec, location: locationOf(work) }
    const environment = containerEnvironment(source, links)
    return { container: expandCommand(record.spec, environment), environment }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    recordWarning(work, record, 'Failed', `Error: ${message}`)
    markWaiting(work, record, { reason: 'CreateContainerConfigError', message })
    return undefined
  }
}

/** Runs a step of the start; after an error, resets the activity so that the container is started again. */
const attemptStart = (work: PodWork, record: ContainerRecord, step: () => void): void => {
  if (!work.attempt(step) && (record.activity === 'pulling' || record.activity === 'starting'))
    record.activity = 'idle'
}

const launch = (work: PodWork, record: ContainerRecord): void => {
  const configured = resolveConfiguration(work, record)
  if (configured === undefined || work.sandbox === undefined) return
  const { pod, sandbox } = work
  const { runtime } = work.context
  const { image } = record.spec
  let earlyExit: ContainerExit | undefined
  const onExit = (exit: ContainerExit): void => {
    if (record.activity === 'starting') earlyExit = exit
    else work.attempt(() => handleExit(work, record, exit))
  }
  const start = { pod, sandbox, ...configured, attempt: record.attempt + 1, onExit }
  runtime.startContainer(start, (outcome) =>
    attemptStart(work, record, () => {
      if (work.ended) {
        // The kubelet has released the pod in the meantime and would never stop this container.
        if (outcome.ok) runtime.stopContainer(outcome.value.id, 0)
        return
      }
      if (!outcome.ok) return handleLaunchFailure(work, record, outcome.error)
      handleLaunch(work, record, outcome.value)
      if (earlyExit !== undefined) handleExit(work, record, earlyExit)
      else if (record.spec.image !== image && work.stopping === undefined) restartChanged(work, record)
    }),
  )
}

/** Starts the container if it is due; does nothing if it runs, is starting or has completed. */
export const startContainer = (work: PodWork, record: ContainerRecord): void => {
  if (!shouldRun(record, work.pod.spec.restartPolicy) || mustPause(work, record)) return
  record.activity = 'pulling'
  const { image } = record.spec
  const request = { pod: work.pod, record, isNeeded: () => !work.ended }
  attemptStart(work, record, () =>
    work.images.ensure(request, (failure) =>
      attemptStart(work, record, () => {
        if (work.stopping !== undefined || work.ended) return
        if (record.spec.image !== image) {
          record.activity = 'idle'
          return work.queueSync()
        }
        record.activity = 'starting'
        if (failure === undefined) launch(work, record)
        else markWaiting(work, record, failure)
      }),
    ),
  )
}
