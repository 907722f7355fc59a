/** Whether the Endpoints of a Service are a controller's, who follows its selector. */
import type { ApiObject } from '../spec/index.ts'
import { toObjectKey } from './object-set.ts'

export const isFollowed = (object: ApiObject, get: (key: string) => ApiObject | undefined): boolean => {
  if (object.kind !== 'Endpoints') return false
  const service = get(toObjectKey({ ...object, kind: 'Service' }))
  const { selector = {} } = (service?.spec ?? {}) as { selector?: object }
  return Object.keys(selector).length > 0
}
