/** Starts one container of a pod: back-off, image, environment, runtime; and notes how it fares. */
import type { Container, ContainerStateWaiting } from 'kubernetes-types/core/v1.d.ts'
import { toTime } from '../meta/index.ts'
import { type ContainerExit, ContainerStartError, type RunningContainer } from '../ports/index.ts'
import { goDuration } from './back-off.ts'
import { containerEnvironment, expandCommand } from './container-environment.ts'
import { type ContainerRecord, fieldPathOf, podText, shouldRun } from './container-record.ts'
import { runHook } from './lifecycle-hook.ts'
import { type PodWork, placeOf, podIPOf } from './pod-work.ts'
import { startProbes } from './probes.ts'
import { stopContainer } from './stop-container.ts'

const say = (
  { context, pod }: PodWork,
  record: ContainerRecord,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): void => context.events.record(pod, type, reason, message, fieldPathOf(record))

const fail = (work: PodWork, record: ContainerRecord, waiting: ContainerStateWaiting): void => {
  record.activity = 'idle'
  record.waiting = waiting
  record.cached = waiting
  work.changed()
  work.resyncLater()
}

/**
 * Whether a container that has ended must pause before it starts again. One that the kubelet has just ended
 * for the sake of its probes is judged by the end of the instance before, so the first such restart is free.
 */
const mustPause = (work: PodWork, record: ContainerRecord): boolean => {
  const endedAt = record.restarting === true ? record.previouslyFinishedAt : record.finishedAt
  record.restarting = false
  if (endedAt === undefined) return false
  const { pod, restarts, context } = work
  const { name } = record.spec
  // Another image is another container, which has not failed yet.
  const key = `${pod.metadata.uid}/${name}/${record.spec.image}`
  const now = context.clock.now()
  if (!restarts.isWaiting(key, endedAt, now)) {
    restarts.next(key, endedAt, now)
    return false
  }
  say(
    work,
    record,
    'Warning',
    'BackOff',
    `Back-off restarting failed container ${name} in pod ${podText(pod)}`,
  )
  const pause = goDuration(restarts.pauseMs(key))
  record.cached = {
    reason: 'CrashLoopBackOff',
    message: `back-off ${pause} restarting failed container=${name} pod=${podText(pod)}`,
  }
  work.resyncLater()
  return true
}

const ended = (work: PodWork, record: ContainerRecord, exit: ContainerExit): void => {
  const now = work.context.clock.now()
  record.stopProbes?.()
  record.stopProbes = undefined
  record.activity = 'idle'
  record.previous = record.terminated
  record.terminated = {
    exitCode: exit.exitCode,
    ...(exit.signal === undefined ? {} : { signal: exit.signal }),
    reason: exit.reason,
    ...(exit.message === undefined ? {} : { message: exit.message }),
    startedAt: toTime(record.startedAt ?? now),
    finishedAt: toTime(now),
    ...(record.instance === undefined ? {} : { containerID: record.instance.id }),
  }
  record.previouslyFinishedAt = record.finishedAt
  record.finishedAt = now
  record.startedAt = undefined
  record.waiting = undefined
  record.cached = undefined
  record.started = false
  record.ready = record.role === 'init' && exit.exitCode === 0
  work.changed()
  work.queueSync()
}

const unhealthy = (
  work: PodWork,
  record: ContainerRecord,
  kind: 'startup' | 'liveness',
  graceSeconds: number | undefined,
): void => {
  const policy = work.pod.spec.restartPolicy
  const restarts = record.role === 'sidecar' || policy !== 'Never'
  const message = `Container ${record.spec.name} failed ${kind} probe${restarts ? ', will be restarted' : ''}`
  record.restarting = true
  const seconds = graceSeconds ?? work.pod.spec.terminationGracePeriodSeconds ?? 30
  stopContainer(work, record, message, seconds * 1000)
}

const running = (work: PodWork, record: ContainerRecord): void => {
  record.stopProbes = startProbes({
    context: work.context,
    pod: work.pod,
    podIP: podIPOf(work) ?? '',
    record,
    onChange() {
      work.changed()
      work.queueSync()
    },
    onUnhealthy: (kind, probe) => unhealthy(work, record, kind, probe.terminationGracePeriodSeconds),
  })
  work.changed()
  work.queueSync()
}

/** Ends a container whose image is another by now; it starts again without a pause. */
export const restartChanged = (work: PodWork, record: ContainerRecord): void => {
  if (record.activity !== 'running') return
  record.restarting = true
  const message = `Container ${record.spec.name} definition changed, will be restarted`
  stopContainer(work, record, message, (work.pod.spec.terminationGracePeriodSeconds ?? 30) * 1000)
}

/** The main process runs; the container counts as running once its postStart hook is done. */
const launched = (work: PodWork, record: ContainerRecord, instance: RunningContainer): void => {
  record.attempt += 1
  record.instance = instance
  record.activity = 'running'
  record.startedAt = work.context.clock.now()
  record.waiting = undefined
  record.cached = undefined
  say(work, record, 'Normal', 'Created', `Created container: ${record.spec.name}`)
  say(work, record, 'Normal', 'Started', `Started container ${record.spec.name}`)
  if (work.stopping !== undefined) {
    work.queueSync()
    return
  }
  const handler = record.spec.lifecycle?.postStart
  if (handler === undefined) {
    running(work, record)
    return
  }
  const { pod } = work
  const hook = { kind: 'postStart' as const, handler, pod, podIP: podIPOf(work) ?? '', record }
  runHook(work.context, { ...hook, timeoutMs: 120_000 }, (ok) => {
    if (work.ended || record.instance !== instance || record.activity !== 'running') return
    if (ok) return running(work, record)
    stopContainer(work, record, 'FailedPostStartHook', (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000)
  })
}

/** Why the container waits, by how far it came. */
const WAITING = {
  config: 'CreateContainerConfigError',
  create: 'CreateContainerError',
  start: 'RunContainerError',
} as const

const notLaunched = (work: PodWork, record: ContainerRecord, error: Error): void => {
  const { message } = error
  const stage = error instanceof ContainerStartError ? error.stage : 'create'
  if (stage === 'start' && error instanceof ContainerStartError) {
    record.attempt += 1
    record.instance = error.container
    say(work, record, 'Normal', 'Created', `Created container: ${record.spec.name}`)
    const now = work.context.clock.now()
    record.previous = record.terminated
    record.terminated = {
      exitCode: 128,
      reason: 'StartError',
      message,
      startedAt: toTime(0),
      finishedAt: toTime(now),
      ...(error.container === undefined ? {} : { containerID: error.container.id }),
    }
    record.previouslyFinishedAt = record.finishedAt
    record.finishedAt = now
  }
  say(work, record, 'Warning', 'Failed', `Error: ${message}`)
  fail(work, record, { reason: WAITING[stage], message })
}

const configure = (
  work: PodWork,
  record: ContainerRecord,
): { container: Container; environment: Record<string, string> } | undefined => {
  const { context, pod } = work
  try {
    const links = context.serviceLinks(pod.metadata.namespace!, pod.spec.enableServiceLinks !== false)
    const source = { client: context.client, pod, container: record.spec, place: placeOf(work) }
    const environment = containerEnvironment(source, links)
    return { container: expandCommand(record.spec, environment), environment }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    say(work, record, 'Warning', 'Failed', `Error: ${message}`)
    fail(work, record, { reason: 'CreateContainerConfigError', message })
    return undefined
  }
}

/** What fails on the way must not leave the container on the way for ever. */
const attemptStart = (work: PodWork, record: ContainerRecord, step: () => void): void => {
  if (!work.attempt(step) && (record.activity === 'pulling' || record.activity === 'starting'))
    record.activity = 'idle'
}

const launch = (work: PodWork, record: ContainerRecord): void => {
  const configured = configure(work, record)
  if (configured === undefined || work.sandbox === undefined) return
  const { pod, sandbox } = work
  const { runtime } = work.context
  const { image } = record.spec
  let early: ContainerExit | undefined
  const onExit = (exit: ContainerExit): void => {
    if (record.activity === 'starting') early = exit
    else work.attempt(() => ended(work, record, exit))
  }
  const start = { pod, sandbox, ...configured, attempt: record.attempt + 1, onExit }
  runtime.startContainer(start, (outcome) =>
    attemptStart(work, record, () => {
      if (work.ended) {
        // The kubelet has let go of the pod meanwhile: nobody would ever stop this one.
        if (outcome.ok) runtime.stopContainer(outcome.value.id, 0)
        return
      }
      if (!outcome.ok) return notLaunched(work, record, outcome.error)
      launched(work, record, outcome.value)
      if (early !== undefined) ended(work, record, early)
      else if (record.spec.image !== image && work.stopping === undefined) restartChanged(work, record)
    }),
  )
}

/** Starts the container if it is due: does nothing for one that runs, is on its way, or has done its work. */
export const startContainer = (work: PodWork, record: ContainerRecord): void => {
  if (!shouldRun(record, work.pod.spec.restartPolicy) || mustPause(work, record)) return
  record.activity = 'pulling'
  const { image } = record.spec
  const request = { pod: work.pod, record, isWanted: () => !work.ended }
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
        else fail(work, record, failure)
      }),
    ),
  )
}
