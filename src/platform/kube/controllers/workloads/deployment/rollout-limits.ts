/** How many pods a rollout may add and take away at a time: maxSurge and maxUnavailable. */
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import type { Stored } from '#platform/kube/meta'
import { scaledValue } from '../replicas/scaled-value.ts'
import { desiredReplicas, isRolling } from './rollout.ts'

/** Resolves maxSurge and maxUnavailable to numbers of pods. */
export const limitsOf = (deployment: Stored<Deployment>): { surge: number; unavailable: number } => {
  if (!isRolling(deployment)) return { surge: 0, unavailable: 0 }
  const desired = desiredReplicas(deployment)
  const { maxSurge, maxUnavailable } = deployment.spec.strategy?.rollingUpdate ?? {}
  const surge = scaledValue(maxSurge, desired, 'up')
  const unavailable = scaledValue(maxUnavailable, desired, 'down')
  // Percentages of small numbers may both round to zero, which would block the rollout.
  return { surge, unavailable: Math.min(desired, surge === 0 && unavailable === 0 ? 1 : unavailable) }
}
