/** Computes how many pods a rolling update adds. */
import { type ApiObject, type ObjectsView, replicasOf, viewAs } from '#spec'

const DEFAULT_SURGE = '25%'

/** Kubernetes rounds a share of the replicas up. */
const surgeOf = (deployment: ApiObject): number => {
  const { strategy } = viewAs('Deployment', deployment).spec ?? {}
  if (strategy?.type === 'Recreate') return 0
  const surge = String(strategy?.rollingUpdate?.maxSurge ?? DEFAULT_SURGE)
  const amount = Number.parseInt(surge, 10)
  return surge.endsWith('%') ? Math.ceil((amount * replicasOf(deployment)) / 100) : amount
}

/** The most pods that the rollout of one Deployment adds. StatefulSets replace their pods without additional ones. */
export const maxSurgeIn = (objects: ObjectsView): number =>
  Math.max(0, ...objects.list('Deployment').map(surgeOf))
