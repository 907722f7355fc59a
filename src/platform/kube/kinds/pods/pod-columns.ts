/** The table that `kubectl get pods` prints. */
import type { ContainerState, ContainerStatus, Pod } from 'kubernetes-types/core/v1.d.ts'
import { fromTime, humanDuration, type Stored } from '#platform/kube/meta'
import type { Cell, Column, PrintContext, RowCondition } from '../define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn, wideColumn } from '../standard-columns.ts'
import { isPodReady, isPodTerminal, podCondition } from './pod-condition.ts'
import { isSidecar } from './pod-resources.ts'

export const podColumns: readonly Column[] = [
  nameColumn,
  textColumn('Ready', 'The aggregate readiness state of this pod for accepting traffic.'),
  textColumn('Status', 'The aggregate status of the containers in this pod.'),
  textColumn(
    'Restarts',
    'The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.',
  ),
  ageColumn,
  wideColumn(
    'IP',
    'podIP address allocated to the pod. Routable at least within the cluster. Empty if not yet allocated.',
  ),
  wideColumn(
    'Node',
    'NodeName indicates in which node this pod is scheduled. If empty, this pod is a candidate for scheduling by the scheduler defined in schedulerName. Once this field is set, the kubelet for this node becomes responsible for the lifecycle of this pod. This field should not be used to express a desire for the pod to be scheduled on a specific node. https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename',
  ),
  wideColumn(
    'Nominated Node',
    'nominatedNodeName is set only when this pod preempts other pods on the node, but it cannot be scheduled right away as preemption victims receive their graceful termination periods. This field does not guarantee that the pod will be scheduled on this node. Scheduler may decide to place the pod elsewhere if other nodes become available sooner. Scheduler may also decide to give the resources on this node to a higher priority pod that is created after preemption. As a result, this field may be different than PodSpec.nodeName when the pod is scheduled.',
  ),
  wideColumn(
    'Readiness Gates',
    'If specified, all readiness gates will be evaluated for pod readiness. A pod is ready when all its containers are ready AND all conditions specified in the readiness gates have status equal to "True" More info: https://git.k8s.io/enhancements/keps/sig-network/580-pod-readiness-gates',
  ),
]

interface Summary {
  reason: string
  ready: number
  restarts: number
  /** Milliseconds since the epoch; 0 if there was no restart. */
  lastRestart: number
}

const lastTerminationTime = (status: ContainerStatus): number => {
  const finished = status.lastState?.terminated?.finishedAt
  return typeof finished === 'string' ? fromTime(finished) : 0
}

const terminationReason = ({ terminated }: ContainerState, prefix: string): string => {
  if (terminated?.reason) return `${prefix}${terminated.reason}`
  if (terminated?.signal) return `${prefix}Signal:${terminated.signal}`
  return `${prefix}ExitCode:${terminated?.exitCode ?? 0}`
}

interface InitSummary extends Summary {
  /** Restarts of sidecars, which also count after initialization. */
  sidecars: { restarts: number; lastRestart: number }
  done: boolean
}

/** Summarizes the init containers up to the first one that has not completed. */
const summarizeInit = (pod: Stored<Pod>): InitSummary => {
  const initContainers = pod.spec.initContainers ?? []
  const sidecarNames = new Set(initContainers.filter(isSidecar).map(({ name }) => name))
  const sidecars = { restarts: 0, lastRestart: 0 }
  const summary: InitSummary = { reason: '', ready: 0, restarts: 0, lastRestart: 0, sidecars, done: true }
  for (const [index, status] of (pod.status.initContainerStatuses ?? []).entries()) {
    const sidecar = sidecarNames.has(status.name)
    const state = status.state ?? {}
    summary.restarts += status.restartCount
    summary.lastRestart = Math.max(summary.lastRestart, lastTerminationTime(status))
    if (sidecar) {
      sidecars.restarts += status.restartCount
      sidecars.lastRestart = Math.max(sidecars.lastRestart, lastTerminationTime(status))
    }
    if (state.terminated?.exitCode === 0) continue
    if (sidecar && status.started === true) {
      if (status.ready) summary.ready += 1
      continue
    }
    const waiting = state.waiting?.reason ?? ''
    if (state.terminated !== undefined) summary.reason = terminationReason(state, 'Init:')
    else if (waiting !== '' && waiting !== 'PodInitializing') summary.reason = `Init:${waiting}`
    else summary.reason = `Init:${index}/${initContainers.length}`
    summary.done = false
    break
  }
  return summary
}

/** Summarizes the containers in reverse order, so that the first one determines the reason. */
const summarizeContainers = (pod: Stored<Pod>, start: Summary): Summary => {
  const summary = { ...start }
  let running = false
  for (const status of (pod.status.containerStatuses ?? []).toReversed()) {
    const state = status.state ?? {}
    summary.restarts += status.restartCount
    summary.lastRestart = Math.max(summary.lastRestart, lastTerminationTime(status))
    if (state.waiting?.reason) summary.reason = state.waiting.reason
    else if (state.terminated !== undefined) summary.reason = terminationReason(state, '')
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

/** Marks the rows of terminated pods as completed. */
export const podRowConditions = ({ status }: Stored<Pod>): RowCondition[] => {
  const completedCondition = (reason: string, message: string): RowCondition[] => [
    { type: 'Completed', status: 'True', reason, message },
  ]
  if (status.phase === 'Succeeded')
    return completedCondition('Succeeded', 'The pod has completed successfully.')
  return status.phase === 'Failed' ? completedCondition('Failed', 'The pod failed.') : []
}
