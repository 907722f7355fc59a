/** Writes the status of a Deployment: the totals of its ReplicaSets, and the conditions. */
import type { DeploymentStatus, ReplicaSetCondition } from 'kubernetes-types/apps/v1.d.ts'
import { defined } from '#kit'
import { deployments } from '#platform/kube/kinds'
import { keyOf } from '../../define-controller.ts'
import {
  conditionOf,
  hasProgressed,
  isComplete,
  progressDeadline,
  refreshCondition,
  timeToDeadline,
  withCondition,
  withoutCondition,
} from './conditions.ts'
import { allSets, availableIn, desiredReplicas, type Rollout, sizeOf, total } from './rollout.ts'
import { limitsOf } from './rollout-limits.ts'

const countReplicas = (rollout: Rollout): DeploymentStatus => {
  const { deployment, newSet } = rollout
  const sets = allSets(rollout)
  const replicas = total(sets, ({ status }) => status.replicas)
  const updatedReplicas = newSet?.status.replicas ?? 0
  const readyReplicas = total(sets, ({ status }) => status.readyReplicas ?? 0)
  const availableReplicas = total(sets, availableIn)
  const unavailableReplicas = Math.max(0, total(sets, sizeOf) - availableReplicas)
  const { collisionCount, conditions } = deployment.status
  return {
    ...defined({ observedGeneration: deployment.metadata.generation }),
    ...(replicas === 0 ? {} : { replicas }),
    ...(updatedReplicas === 0 ? {} : { updatedReplicas }),
    ...(readyReplicas === 0 ? {} : { readyReplicas }),
    ...(availableReplicas === 0 ? {} : { availableReplicas }),
    ...(unavailableReplicas === 0 ? {} : { unavailableReplicas }),
    ...defined({ conditions, collisionCount }),
  }
}

const withAvailability = (rollout: Rollout, status: DeploymentStatus): DeploymentStatus => {
  const { deployment, context } = rollout
  const minimum = desiredReplicas(deployment) - limitsOf(deployment).unavailable
  const condition =
    (status.availableReplicas ?? 0) >= minimum
      ? {
          status: 'True',
          reason: 'MinimumReplicasAvailable',
          message: 'Deployment has minimum availability.',
        }
      : {
          status: 'False',
          reason: 'MinimumReplicasUnavailable',
          message: 'Deployment does not have minimum availability.',
        }
  return withCondition(status, { type: 'Available', ...condition }, context.clock.now())
}

const withProgress = (rollout: Rollout, status: DeploymentStatus): DeploymentStatus => {
  const { deployment, newSet, context } = rollout
  const now = context.clock.now()
  if (progressDeadline(deployment) === undefined) return withoutCondition(status, 'Progressing')
  const known = conditionOf(deployment.status, 'Progressing')
  const wasComplete =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && known?.reason === 'NewReplicaSetAvailable'
  if (wasComplete) return status

  const subject =
    newSet === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newSet.metadata.name}"`
  if (isComplete(deployment, status)) {
    const message = `${subject} has successfully progressed.`
    return withCondition(
      status,
      { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable', message },
      now,
    )
  }
  if (hasProgressed(deployment.status, status)) {
    const message = `${subject} is progressing.`
    return refreshCondition(
      status,
      { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated', message },
      now,
    )
  }
  const remainingMs = timeToDeadline(deployment, status, now)
  if (known?.reason === 'ProgressDeadlineExceeded' || (remainingMs !== undefined && remainingMs < 0)) {
    const message = `${subject} has timed out progressing.`
    return withCondition(
      status,
      { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message },
      now,
    )
  }
  return status
}

/** Copies the ReplicaFailure condition of a ReplicaSet; the new ReplicaSet takes precedence. */
const withFailure = (rollout: Rollout, status: DeploymentStatus): DeploymentStatus => {
  const failureOf = (conditions: ReplicaSetCondition[] | undefined): ReplicaSetCondition | undefined =>
    conditions?.find(({ type }) => type === 'ReplicaFailure')
  const failure =
    failureOf(rollout.newSet?.status.conditions) ??
    rollout.oldSets
      .map((set) => failureOf(set.status.conditions))
      .find((condition) => condition !== undefined)
  if (failure === undefined) return withoutCondition(status, 'ReplicaFailure')
  const known = conditionOf(status, 'ReplicaFailure')
  if (known !== undefined && known.status === failure.status && known.reason === failure.reason) return status
  const condition = {
    ...failure,
    ...defined({ lastUpdateTime: failure.lastTransitionTime }),
  }
  return {
    ...status,
    conditions: [...(withoutCondition(status, 'ReplicaFailure').conditions ?? []), condition],
  }
}

const write = (rollout: Rollout, status: DeploymentStatus): void => {
  rollout.context.client.updateStatus(deployments, { ...rollout.deployment, status })
}

/** Writes the replica counts and availability only; used while the Deployment is paused, scaled or deleted. */
export const writeCounts = (rollout: Rollout): void =>
  write(rollout, withAvailability(rollout, countReplicas(rollout)))

/** Writes counts and progress after a step of the rollout, and requeues for the progress deadline. */
export const writeStatus = (rollout: Rollout): void => {
  const { deployment, context } = rollout
  const counted = withAvailability(rollout, countReplicas(rollout))
  const status = withFailure(rollout, withProgress(rollout, counted))
  write(rollout, status)

  const remainingMs = timeToDeadline(deployment, status, context.clock.now())
  if (remainingMs === undefined || isComplete(deployment, status)) return
  if (conditionOf(status, 'Progressing')?.reason === 'ProgressDeadlineExceeded') return
  // One extra second, because times in conditions are whole seconds.
  context.requeue(keyOf(deployment), remainingMs + 1000)
}
