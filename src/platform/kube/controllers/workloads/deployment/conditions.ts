/** The conditions of a Deployment, and its progress deadline. */
import type { Deployment, DeploymentCondition, DeploymentStatus } from 'kubernetes-types/apps/v1.d.ts'
import { defined } from '#kit'
import { fromTime, type Stored, toTime } from '#platform/kube/meta'
import { desiredReplicas } from './rollout.ts'

type ConditionType = 'Available' | 'Progressing' | 'ReplicaFailure'

export const conditionOf = (status: DeploymentStatus, type: ConditionType): DeploymentCondition | undefined =>
  status.conditions?.find((condition) => condition.type === type)

export const withoutCondition = (status: DeploymentStatus, type: ConditionType): DeploymentStatus => {
  if (conditionOf(status, type) === undefined) return status
  return { ...status, conditions: status.conditions!.filter((condition) => condition.type !== type) }
}

/** Replaces the condition of this type, unless its status and reason are unchanged. */
export const withCondition = (
  status: DeploymentStatus,
  next: Omit<DeploymentCondition, 'lastUpdateTime' | 'lastTransitionTime'>,
  now: number,
): DeploymentStatus => {
  const type = next.type as ConditionType
  const known = conditionOf(status, type)
  if (known !== undefined && known.status === next.status && known.reason === next.reason) return status
  return refreshCondition(status, next, now)
}

/** Like `withCondition`, but updates `lastUpdateTime` even if status and reason are unchanged. */
export const refreshCondition = (
  status: DeploymentStatus,
  next: Omit<DeploymentCondition, 'lastUpdateTime' | 'lastTransitionTime'>,
  now: number,
): DeploymentStatus => {
  const type = next.type as ConditionType
  const known = conditionOf(status, type)
  const time = toTime(now)
  const lastTransitionTime = known?.status === next.status ? (known.lastTransitionTime ?? time) : time
  const condition: DeploymentCondition = {
    type: next.type,
    status: next.status,
    lastUpdateTime: time,
    lastTransitionTime,
    ...defined({ reason: next.reason, message: next.message }),
  }
  return { ...status, conditions: [...(withoutCondition(status, type).conditions ?? []), condition] }
}

const NO_DEADLINE = 2 ** 31 - 1

/** Seconds without progress after which a rollout counts as failed. */
export const progressDeadline = ({ spec }: Stored<Deployment>): number | undefined =>
  spec.progressDeadlineSeconds === NO_DEADLINE ? undefined : spec.progressDeadlineSeconds

/** Whether every replica is updated and available, and the controller has observed the latest generation. */
export const isComplete = (deployment: Stored<Deployment>, status: DeploymentStatus): boolean => {
  const desired = desiredReplicas(deployment)
  return (
    (status.updatedReplicas ?? 0) === desired &&
    (status.replicas ?? 0) === desired &&
    (status.availableReplicas ?? 0) === desired &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  )
}

/** Reports whether there are more updated, ready or available pods than before, or fewer old ones. */
export const hasProgressed = (before: DeploymentStatus, after: DeploymentStatus): boolean => {
  const oldReplicas = (status: DeploymentStatus): number =>
    (status.replicas ?? 0) - (status.updatedReplicas ?? 0)
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    oldReplicas(after) < oldReplicas(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  )
}

/** Milliseconds until the progress deadline, or undefined if none applies. */
export const timeToDeadline = (
  deployment: Stored<Deployment>,
  status: DeploymentStatus,
  now: number,
): number | undefined => {
  const deadline = progressDeadline(deployment)
  const progressing = conditionOf(status, 'Progressing')
  if (deadline === undefined || progressing === undefined) return undefined
  if (progressing.reason === 'NewReplicaSetAvailable') return undefined
  return fromTime(progressing.lastUpdateTime!) + deadline * 1000 - now
}
