/** Sets of objects by kind, namespace and name, at one moment of an episode. */
import type { ApiObject, ObjectsView } from '#spec'

export const toObjectKey = ({ kind, metadata }: ApiObject): string =>
  `${kind}/${metadata.namespace ?? ''}/${metadata.name}`

export type ObjectSet = ReadonlyMap<string, ApiObject>

/** The view that faults get: objects of the system's namespace, and objects without a namespace. */
export const toObjectsView = (objects: ObjectSet, namespace: string): ObjectsView => ({
  get: (kind, name) => objects.get(`${kind}/${namespace}/${name}`) ?? objects.get(`${kind}//${name}`),
  list: (kind) =>
    [...objects.values()].filter(
      (object) => object.kind === kind && [undefined, namespace].includes(object.metadata.namespace),
    ),
})
