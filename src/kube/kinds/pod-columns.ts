/** The table of pods: what `kubectl get pods` says about each. */
import type { ContainerState, ContainerStatus, Pod } from 'kubernetes-types/core/v1.d.ts'
import { fromTime, humanDuration, type Stored } from '../meta/index.ts'
import type { Cell, Column, PrintContext, RowCondition } from './define-kind.ts'
import { isPodReady, isPodTerminal, podCondition } from './pod-condition.ts'
import { isSidecar } from './pod-resources.ts'
import { ageCell, ageColumn, nameColumn, textColumn, wideColumn } from './standard-columns.ts'

export const podColumns: readonly Column[] = [
  nameColumn,
  textColumn('Ready', 'Containers that are ready, of all.'),
  textColumn('Status', 'What the pod is doing, or why it is not.'),
  textColumn('Restarts', 'How often containers were restarted, and when last.'),
  ageColumn,
  wideColumn('IP', 'Address of the pod.'),
  wideColumn('Node', 'Node on which the pod runs.'),
  wideColumn('Nominated Node', 'Node that is being cleared for the pod.'),
  wideColumn('Readiness Gates', 'Gates that are passed, of all.'),
]

interface Summary {
  reason: string
  ready: number
  restarts: number
  /** Milliseconds since the epoch; 0 when nothing has restarted. */
  lastRestart: number
}

const endOfLast = (status: ContainerStatus): number => {
  const finished = status.lastState?.terminated?.finishedAt
  return typeof finished === 'string' ? fromTime(finished) : 0
}

const endReason = ({ terminated }: ContainerState, prefix: string): string => {
  if (terminated?.reason) return `${prefix}${terminated.reason}`
  if (terminated?.signal) return `${prefix}Signal:${terminated.signal}`
  return `${prefix}ExitCode:${terminated?.exitCode ?? 0}`
}

interface Initialising extends Summary {
  /** Restarts of sidecars alone, which still count once the pod runs. */
  sidecars: { restarts: number; lastRestart: number }
  done: boolean
}

/** Goes through the init containers up to the first that has not done its part. */
const summarizeInit = (pod: Stored<Pod>): Initialising => {
  const inits = pod.spec.initContainers ?? []
  const sidecarNames = new Set(inits.filter(isSidecar).map(({ name }) => name))
  const sidecars = { restarts: 0, lastRestart: 0 }
  const summary: Initialising = { reason: '', ready: 0, restarts: 0, lastRestart: 0, sidecars, done: true }
  for (const [index, status] of (pod.status.initContainerStatuses ?? []).entries()) {
    const sidecar = sidecarNames.has(status.name)
    const state = status.state ?? {}
    summary.restarts += status.restartCount
    summary.lastRestart = Math.max(summary.lastRestart, endOfLast(status))
    if (sidecar) {
      sidecars.restarts += status.restartCount
      sidecars.lastRestart = Math.max(sidecars.lastRestart, endOfLast(status))
    }
    if (state.terminated?.exitCode === 0) continue
    if (sidecar && status.started === true) {
      if (status.ready) summary.ready += 1
      continue
    }
    const waiting = state.waiting?.reason ?? ''
    if (state.terminated !== undefined) summary.reason = endReason(state, 'Init:')
    else if (waiting !== '' && waiting !== 'PodInitializing') summary.reason = `Init:${waiting}`
    else summary.reason = `Init:${index}/${inits.length}`
    summary.done = false
    break
  }
  return summary
}

/** Goes through the containers from the last to the first, whose state wins. */
const summarizeContainers = (pod: Stored<Pod>, start: Summary): Summary => {
  const summary = { ...start }
  let running = false
  for (const status of (pod.status.containerStatuses ?? []).toReversed()) {
    const state = status.state ?? {}
    summary.restarts += status.restartCount
    summary.lastRestart = Math.max(summary.lastRestart, endOfLast(status))
    if (state.waiting?.reason) summary.reason = state.waiting.reason
    else if (state.terminated !== undefined) summary.reason = endReason(state, '')
    else if (status.ready && state.running !== undefined) {
      running = true
      summary.ready += 1
    }
  }
  if (summary.reason === 'Completed' && running) summary.reason = isPodReady(pod) ? 'Running' : 'NotReady'
  return summary
}

const summarize = (pod: Stored<Pod>): Summary => {
  const gated = podCondition(pod, 'PodScheduled')?.reason === 'SchedulingGated'
  const reason = gated ? 'SchedulingGated' : pod.status.reason || (pod.status.phase ?? '')
  const init = summarizeInit(pod)
  const initialized = init.done || podCondition(pod, 'Initialized')?.status === 'True'
  const summary = initialized
    ? summarizeContainers(pod, { reason: init.reason || reason, ready: init.ready, ...init.sidecars })
    : init
  if (pod.metadata.deletionTimestamp === undefined) return summary
  if (pod.status.reason === 'NodeLost') return { ...summary, reason: 'Unknown' }
  return isPodTerminal(pod) ? summary : { ...summary, reason: 'Terminating' }
}

const restartsText = ({ restarts, lastRestart }: Summary, now: number): string =>
  restarts > 0 && lastRestart > 0 ? `${restarts} (${humanDuration(now - lastRestart)} ago)` : String(restarts)

const gatesText = (pod: Stored<Pod>): string => {
  const gates = pod.spec.readinessGates ?? []
  if (gates.length === 0) return '<none>'
  const passed = gates.filter(({ conditionType }) => podCondition(pod, conditionType)?.status === 'True')
  return `${passed.length}/${gates.length}`
}

export const podRow = (pod: Stored<Pod>, context: PrintContext): Cell[] => {
  const summary = summarize(pod)
  const total = (pod.spec.containers ?? []).length + (pod.spec.initContainers ?? []).filter(isSidecar).length
  return [
    pod.metadata.name,
    `${summary.ready}/${total}`,
    summary.reason,
    restartsText(summary, context.now),
    ageCell(pod, context),
    pod.status.podIPs?.[0]?.ip || '<none>',
    pod.spec.nodeName || '<none>',
    pod.status.nominatedNodeName || '<none>',
    gatesText(pod),
  ]
}

/** Pods that have ended are marked as such. */
export const podRowConditions = ({ status }: Stored<Pod>): RowCondition[] => {
  const completed = (reason: string, message: string): RowCondition[] => [
    { type: 'Completed', status: 'True', reason, message },
  ]
  if (status.phase === 'Succeeded') return completed('Succeeded', 'The pod has completed successfully.')
  return status.phase === 'Failed' ? completed('Failed', 'The pod failed.') : []
}
