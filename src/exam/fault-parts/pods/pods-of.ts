/** Finds the pods of a service. */
import { type ApiObject, type FaultContext, isTerminating, type ObjectsView } from '#spec'

/** Pods that are not terminating, sorted by name. */
export const podsOf = async (
  { api, system }: Pick<FaultContext, 'api' | 'system'>,
  service: string,
): Promise<readonly ApiObject[]> => {
  const { items } = await api.list(
    { apiVersion: 'v1', plural: 'pods', namespace: system.namespace },
    { labelSelector: `app=${service}` },
  )
  return items
    .filter((pod) => !isTerminating(pod))
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
}

/** Whether a pod with this UID exists and is not terminating. */
export const hasPod = (objects: ObjectsView, uid: unknown): boolean =>
  objects.list('Pod').some((pod) => pod.metadata.uid === uid && !isTerminating(pod))
