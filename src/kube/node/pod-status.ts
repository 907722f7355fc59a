/** The status a kubelet reports for a pod. */
import type { Pod, PodStatus } from 'kubernetes-types/core/v1.d.ts'
import { disruptionTarget, podConditionAt, qosClassOf } from '../kinds/index.ts'
import { type Stored, toTime } from '../meta/index.ts'
import type { ContainerRecord } from './container-record.ts'
import { containerStatus } from './container-status.ts'
import { podConditions } from './pod-conditions.ts'
import { podPhase } from './pod-phase.ts'

/** Why the kubelet ended the pod, when it was not the pod's own doing. */
export interface PodEnding {
  reason: string
  message: string
  /** Whether it counts as a disruption: evictions do, missed deadlines do not. */
  disruption: boolean
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

const containersOf = (records: readonly ContainerRecord[]): Partial<PodStatus> => {
  const withInit = records.some(({ role }) => role === 'init' || role === 'sidecar')
  const reason = withInit ? 'PodInitializing' : 'ContainerCreating'
  const of = (...roles: string[]) =>
    records.filter(({ role }) => roles.includes(role)).map((record) => containerStatus(record, reason))
  const init = of('init', 'sidecar')
  const ephemeral = of('ephemeral')
  return {
    ...(init.length === 0 ? {} : { initContainerStatuses: init }),
    containerStatuses: of('main'),
    ...(ephemeral.length === 0 ? {} : { ephemeralContainerStatuses: ephemeral }),
  }
}

/** The whole status; what others wrote (foreign conditions, the nominated node) is kept. */
export const podStatus = (pod: Stored<Pod>, input: PodStatusInput): PodStatus => {
  const { records, podIP, startedAt, ended, ending, now } = input
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
    conditions.splice(0, conditions.length, podConditionAt(pod, disrupted, now), ...others)
  }
  return {
    ...(pod.status.nominatedNodeName === undefined
      ? {}
      : { nominatedNodeName: pod.status.nominatedNodeName }),
    phase,
    conditions,
    ...(ending === undefined ? {} : { reason: ending.reason, message: ending.message }),
    ...addressesOf(input),
    startTime: pod.status.startTime ?? toTime(startedAt),
    ...containersOf(records),
    qosClass: pod.status.qosClass ?? qosClassOf(pod),
  }
}
