/** Builds the status that a kubelet reports for a pod. */
import type { ContainerStatus, Pod, PodStatus } from 'kubernetes-types/core/v1.d.ts'
import { defined } from '#kit'
import { disruptionTarget, qosClassOf, toPodCondition } from '#platform/kube/kinds'
import { type Stored, toTime } from '#platform/kube/meta'
import type { ContainerRecord } from '../containers/container-record.ts'
import { containerStatus } from '../containers/container-status.ts'
import { KUBELET_CONDITIONS, podConditions } from './pod-conditions.ts'
import { podPhase } from './pod-phase.ts'

/** The reason why the kubelet ended the pod. */
export interface PodEnding {
  reason: string
  message: string
  /** Whether it counts as a disruption: evictions do, missed deadlines do not. */
  disruption: boolean
  /** The kubelet refused the pod, so its containers have no status. */
  isRejection?: true
}

export interface PodStatusInput {
  records: readonly ContainerRecord[]
  hostIP: string
  podIP: string | undefined
  startedAt: number
  ended: boolean
  ending: PodEnding | undefined
  now: number
}

const addressesOf = ({ hostIP, podIP }: PodStatusInput): Partial<PodStatus> => ({
  hostIP,
  hostIPs: [{ ip: hostIP }],
  ...(podIP === undefined ? {} : { podIP, podIPs: [{ ip: podIP }] }),
})

/** Keeps the reported start time of a container that is still running. */
const keepStartTime = (status: ContainerStatus, previous: readonly ContainerStatus[]): ContainerStatus => {
  const running = previous.find(({ containerID }) => containerID === status.containerID)?.state?.running
  const isRunning = status.containerID !== undefined && status.state?.running !== undefined
  return isRunning && running !== undefined ? { ...status, state: { running } } : status
}

const containersOf = (records: readonly ContainerRecord[], previous: PodStatus): Partial<PodStatus> => {
  const hasInit = records.some(({ role }) => role === 'init' || role === 'sidecar')
  const reason = hasInit ? 'PodInitializing' : 'ContainerCreating'
  const previousStatuses = [
    ...(previous.initContainerStatuses ?? []),
    ...(previous.containerStatuses ?? []),
    ...(previous.ephemeralContainerStatuses ?? []),
  ]
  const statusesOf = (...roles: string[]) =>
    records
      .filter(({ role }) => roles.includes(role))
      .map((record) => keepStartTime(containerStatus(record, reason), previousStatuses))
  const init = statusesOf('init', 'sidecar')
  const ephemeral = statusesOf('ephemeral')
  return {
    ...(init.length === 0 ? {} : { initContainerStatuses: init }),
    containerStatuses: statusesOf('main'),
    ...(ephemeral.length === 0 ? {} : { ephemeralContainerStatuses: ephemeral }),
  }
}

const rejectedStatus = (pod: Stored<Pod>, { reason, message }: PodEnding, startedAt: number): PodStatus => {
  const otherConditions = (pod.status.conditions ?? []).filter(({ type }) => !KUBELET_CONDITIONS.has(type))
  return {
    phase: 'Failed',
    ...(otherConditions.length === 0 ? {} : { conditions: otherConditions }),
    reason,
    message,
    startTime: pod.status.startTime ?? toTime(startedAt),
    qosClass: pod.status.qosClass ?? qosClassOf(pod),
  }
}

/** Returns the whole status. Keeps the fields of other components: conditions and the nominated node. */
export const podStatus = (pod: Stored<Pod>, input: PodStatusInput): PodStatus => {
  const { records, podIP, startedAt, ended, ending, now } = input
  if (ending?.isRejection === true) return rejectedStatus(pod, ending, startedAt)
  const phase = ending === undefined ? podPhase(records, pod.spec.restartPolicy ?? 'Always', ended) : 'Failed'
  const conditions = podConditions(pod, {
    records,
    phase,
    hasNetwork: podIP !== undefined && !ended,
    now,
  })
  if (ending?.disruption === true) {
    const disrupted = disruptionTarget('TerminationByKubelet', ending.message)
    const others = conditions.filter(({ type }) => type !== disrupted.type)
    conditions.splice(0, conditions.length, toPodCondition(pod, disrupted, now), ...others)
  }
  return {
    ...defined({ nominatedNodeName: pod.status.nominatedNodeName }),
    phase,
    conditions,
    ...defined({ reason: ending?.reason, message: ending?.message }),
    ...addressesOf(input),
    startTime: pod.status.startTime ?? toTime(startedAt),
    ...containersOf(records, pod.status),
    qosClass: pod.status.qosClass ?? qosClassOf(pod),
  }
}
