/** The pod conditions that a kubelet maintains. */
import type { Pod, PodCondition } from 'kubernetes-types/core/v1.d.ts'
import { podCondition, toPodCondition } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { ContainerRecord } from '../containers/container-record.ts'
import type { PodPhase } from './pod-phase.ts'

type ConditionState = Pick<PodCondition, 'status' | 'reason' | 'message'>

/** Other conditions belong to other components. */
export const KUBELET_CONDITIONS: ReadonlySet<string> = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
])

const namesOf = (records: readonly ContainerRecord[]): string =>
  `[${records.map(({ spec }) => spec.name).join(' ')}]`

const initialized = (records: readonly ContainerRecord[], phase: PodPhase): ConditionState => {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' }
  if (records.some(({ role, attempt }) => role === 'main' && attempt >= 0)) return { status: 'True' }
  const incomplete = records.filter(
    ({ role, started, ready }) => (role === 'sidecar' && !started) || (role === 'init' && !ready),
  )
  if (incomplete.length === 0) return { status: 'True' }
  return {
    status: 'False',
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: ${namesOf(incomplete)}`,
  }
}

const containersReady = (records: readonly ContainerRecord[], phase: PodPhase): ConditionState => {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' }
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' }
  const unready = records.filter(({ role, ready }) => (role === 'main' || role === 'sidecar') && !ready)
  if (unready.length === 0) return { status: 'True' }
  return {
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: ${namesOf(unready)}`,
  }
}

const podReady = (pod: Stored<Pod>, containers: ConditionState): ConditionState => {
  if (containers.status !== 'True') return containers
  const problems = (pod.spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = podCondition(pod, conditionType)
    if (condition === undefined)
      return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`]
    return condition.status === 'True'
      ? []
      : [`the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`]
  })
  if (problems.length === 0) return containers
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: problems.join(', ') }
}

export interface ConditionInput {
  records: readonly ContainerRecord[]
  phase: PodPhase
  hasNetwork: boolean
  now: number
}

/** Returns all conditions of the pod: those of other components unchanged, then the kubelet's own. */
export const podConditions = (pod: Stored<Pod>, input: ConditionInput): PodCondition[] => {
  const { records, phase, hasNetwork, now } = input
  const containers = containersReady(records, phase)
  const toCondition = (type: string, state: ConditionState): PodCondition =>
    toPodCondition(pod, { type, ...state }, now)
  return [
    ...(pod.status.conditions ?? []).filter(({ type }) => !KUBELET_CONDITIONS.has(type)),
    toCondition('PodReadyToStartContainers', { status: hasNetwork ? 'True' : 'False' }),
    toCondition('Initialized', initialized(records, phase)),
    toCondition('Ready', podReady(pod, containers)),
    toCondition('ContainersReady', containers),
    toCondition('PodScheduled', { status: 'True' }),
  ]
}
