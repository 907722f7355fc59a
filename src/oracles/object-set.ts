/** Objects by kind, namespace and name, as they are at one moment of an episode. */
import type { ApiObject, ObjectsView } from '../spec/index.ts'

export const toObjectKey = ({ kind, metadata }: ApiObject): string =>
  `${kind}/${metadata.namespace ?? ''}/${metadata.name}`

export type ObjectSet = ReadonlyMap<string, ApiObject>

/** Those of the system's namespace and those without one, as faults look at them. */
export const toObjectsView = (objects: ObjectSet, namespace: string): ObjectsView => ({
  get: (kind, name) => objects.get(`${kind}/${namespace}/${name}`) ?? objects.get(`${kind}//${name}`),
  list: (kind) =>
    [...objects.values()].filter(
      (object) => object.kind === kind && [undefined, namespace].includes(object.metadata.namespace),
    ),
})
