/** The pods of a service. */
import type { ApiObject, FaultContext, ObjectsView } from '../spec/index.ts'

/** Those that are not on their way out, by name. */
export const podsOf = async (
  { api, system }: Pick<FaultContext, 'api' | 'system'>,
  service: string,
): Promise<readonly ApiObject[]> => {
  const { items } = await api.list(
    { apiVersion: 'v1', plural: 'pods', namespace: system.namespace },
    { labelSelector: `app=${service}` },
  )
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1))
}

/** Whether a pod of this uid is still there. */
export const isThere = (objects: ObjectsView, uid: unknown): boolean =>
  objects.list('Pod').some(({ metadata }) => metadata.uid === uid && metadata.deletionTimestamp === undefined)

/** Whether it is done or was evicted: it takes no room any more, and suffers nothing. */
export const isOver = ({ status }: ApiObject): boolean =>
  ['Succeeded', 'Failed'].includes(String((status as { phase?: string } | undefined)?.phase))
