/** How many pods a disruption budget reckons with, and how many of them must stay healthy. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.d.ts'
import { deployments, replicaSets } from '../../kinds/index.ts'
import { controllerOf, qualified, type Stored } from '../../meta/index.ts'
import type { Client } from '../../ports/index.ts'
import { scaleOf } from '../scaling/scale-of.ts'
import { scaledValue } from '../workload/scaled-value.ts'

export interface Expected {
  pods: number
  desiredHealthy: number
  /** Selected pods that nobody controls, though the budget must be reckoned from owners. */
  unmanaged: Stored<Pod>[]
}

interface OwnerScale {
  uid: string
  replicas: number
}

/** The scale of what controls the pod; of the Deployment where that is a ReplicaSet of one. */
const ownerScale = (client: Client, pod: Stored<Pod>): OwnerScale => {
  const { namespace = '', name } = pod.metadata
  const reference = controllerOf(pod)!
  const kind = client.kindOf(reference.apiVersion, reference.kind)
  if (kind === undefined) throw new Error(`found no controllers for pod "${name}"`)
  if (kind.scale === undefined) throw new Error(`${qualified(kind)} does not implement the scale subresource`)
  const scale = scaleOf(client, kind, namespace, reference.name)
  if (scale === undefined || scale.object.metadata.uid !== reference.uid)
    throw new Error(`found no controllers for pod "${name}"`)
  const above = kind.id === replicaSets.id ? controllerOf(scale.object) : undefined
  if (above?.kind === deployments.kind && above.apiVersion === deployments.apiVersion) {
    const deployment = scaleOf(client, deployments, namespace, above.name)
    if (deployment?.object.metadata.uid === above.uid)
      return { uid: above.uid, replicas: deployment.replicas }
  }
  return { uid: reference.uid, replicas: scale.replicas }
}

const expectedScale = (
  client: Client,
  selected: readonly Stored<Pod>[],
): { total: number; unmanaged: Stored<Pod>[] } => {
  const scales = new Map<string, number>()
  const unmanaged: Stored<Pod>[] = []
  for (const pod of selected) {
    if (controllerOf(pod) === undefined) {
      unmanaged.push(pod)
      continue
    }
    const { uid, replicas } = ownerScale(client, pod)
    scales.set(uid, replicas)
  }
  return { total: [...scales.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged }
}

export const expectedPods = (
  client: Client,
  { spec }: Stored<PodDisruptionBudget>,
  selected: readonly Stored<Pod>[],
): Expected => {
  const { minAvailable, maxUnavailable } = spec
  if (maxUnavailable !== undefined) {
    const { total, unmanaged } = expectedScale(client, selected)
    const desiredHealthy = Math.max(0, total - scaledValue(maxUnavailable, total, 'up'))
    return { pods: total, desiredHealthy, unmanaged }
  }
  if (typeof minAvailable === 'string') {
    const { total, unmanaged } = expectedScale(client, selected)
    return { pods: total, desiredHealthy: scaledValue(minAvailable, total, 'up'), unmanaged }
  }
  if (minAvailable === undefined) return { pods: 0, desiredHealthy: 0, unmanaged: [] }
  return { pods: selected.length, desiredHealthy: minAvailable, unmanaged: [] }
}
