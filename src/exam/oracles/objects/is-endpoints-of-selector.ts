/** Checks whether a controller maintains the Endpoints of a Service, because the Service has a selector. */
import { type ApiObject, viewAs } from '#spec'
import { toObjectKey } from '../view/object-set.ts'

export const isEndpointsOfSelector = (
  object: ApiObject,
  get: (key: string) => ApiObject | undefined,
): boolean => {
  if (object.kind !== 'Endpoints') return false
  const service = get(toObjectKey({ ...object, kind: 'Service' }))
  if (service === undefined) return false
  return Object.keys(viewAs('Service', service).spec?.selector ?? {}).length > 0
}

/** Whether the object is in the recorded form of Endpoints that omits the fields that their controller writes. */
export const isMaintained = (object: ApiObject): boolean => object.maintained === true
