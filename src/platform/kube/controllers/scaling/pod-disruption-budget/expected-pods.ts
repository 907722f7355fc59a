/** Counts the pods that a disruption budget expects, and how many of them must stay healthy. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.d.ts'
import { deployments, replicaSets } from '#platform/kube/kinds'
import { controllerOf, type Stored, toQualifiedResource } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { scaledValue } from '../../workloads/replicas/scaled-value.ts'
import { scaleOf } from '../scale-of.ts'

export interface ExpectedPods {
  pods: number
  desiredHealthy: number
  /** Selected pods without a controller, although the budget depends on the scale of the owners. */
  unmanaged: Stored<Pod>[]
}

interface OwnerScale {
  uid: string
  replicas: number
}

/** Returns the scale of the pod's controller; for a ReplicaSet of a Deployment, that of the Deployment. */
const ownerScale = (client: Client, pod: Stored<Pod>): OwnerScale => {
  const { namespace = '', name } = pod.metadata
  const reference = controllerOf(pod)!
  const kind = client.kindOf(reference.apiVersion, reference.kind)
  if (kind === undefined) throw new Error(`found no controllers for pod "${name}"`)
  if (kind.scale === undefined)
    throw new Error(`${toQualifiedResource(kind)} does not implement the scale subresource`)
  const scale = scaleOf(client, kind, namespace, reference.name)
  if (scale === undefined || scale.object.metadata.uid !== reference.uid)
    throw new Error(`found no controllers for pod "${name}"`)
  const parent = kind.id === replicaSets.id ? controllerOf(scale.object) : undefined
  if (parent?.kind === deployments.kind && parent.apiVersion === deployments.apiVersion) {
    const deployment = scaleOf(client, deployments, namespace, parent.name)
    if (deployment?.object.metadata.uid === parent.uid)
      return { uid: parent.uid, replicas: deployment.replicas }
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

export const countExpectedPods = (
  client: Client,
  { spec }: Stored<PodDisruptionBudget>,
  selected: readonly Stored<Pod>[],
): ExpectedPods => {
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
