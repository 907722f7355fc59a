/** Filters the changes of objects: only those that change the recorded form of an object are recorded. */
import type { ApiObject, ObjectEvent } from '#spec'
import { isEndpointsOfSelector } from '../objects/is-endpoints-of-selector.ts'
import { toObjectKey } from '../view/object-set.ts'
import { toMaintainedObject, toRecordedObject } from './to-recorded-object.ts'
import { isWatched } from './watched-kinds.ts'

export interface RecordedChange {
  readonly change: 'added' | 'modified' | 'deleted'
  readonly object: ApiObject
}

const CHANGES = { ADDED: 'added', MODIFIED: 'modified', DELETED: 'deleted' } as const

export interface ChangeFilter {
  /** Returns undefined if there is nothing to record. */
  pass(event: ObjectEvent): RecordedChange | undefined
  /** All existing objects in their recorded form. */
  list(): readonly ApiObject[]
}

/** Works for several namespaces: objects are distinguished by kind, namespace and name. */
export const createChangeFilter = (): ChangeFilter => {
  const lastRecorded = new Map<string, { readonly text: string; readonly object: ApiObject }>()
  return {
    pass({ type, object }) {
      if (!isWatched(object)) return undefined
      const key = toObjectKey(object)
      const recorded = isEndpointsOfSelector(object, (service) => lastRecorded.get(service)?.object)
        ? toMaintainedObject(object)
        : toRecordedObject(object)
      const text = JSON.stringify(recorded)
      const before = lastRecorded.get(key)
      if (type === 'DELETED') {
        if (before === undefined) return undefined
        lastRecorded.delete(key)
      } else {
        if (before?.text === text) return undefined
        lastRecorded.set(key, { text, object: recorded })
      }
      return { change: CHANGES[type], object: recorded }
    },
    list: () => [...lastRecorded.values()].map(({ object }) => object),
  }
}
