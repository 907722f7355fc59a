/** Lets pass only changes that a record is worth: those in which the recorded form differs from the last one. */
import type { ApiObject, ObjectEvent } from '../spec/index.ts'
import { isFollowed } from './is-followed.ts'
import { toObjectKey } from './object-set.ts'
import { toRecordedObject } from './to-recorded-object.ts'
import { isWatched } from './watched-kinds.ts'

export interface RecordedChange {
  readonly change: 'added' | 'modified' | 'deleted'
  readonly object: ApiObject
}

const CHANGES = { ADDED: 'added', MODIFIED: 'modified', DELETED: 'deleted' } as const

export interface ChangeFilter {
  /** Nothing where there is nothing to record. */
  pass(event: ObjectEvent): RecordedChange | undefined
  /** All that is there now, in its recorded form. */
  list(): readonly ApiObject[]
}

/** For one namespace or several: objects are told apart by kind, namespace and name. */
export const createChangeFilter = (): ChangeFilter => {
  const last = new Map<string, { readonly text: string; readonly object: ApiObject }>()
  return {
    pass({ type, object }) {
      const isControllers = isFollowed(object, (service) => last.get(service)?.object)
      if (!isWatched(object) || isControllers) return undefined
      const key = toObjectKey(object)
      const recorded = toRecordedObject(object)
      const text = JSON.stringify(recorded)
      const before = last.get(key)
      if (type === 'DELETED') {
        if (before === undefined) return undefined
        last.delete(key)
      } else {
        if (before?.text === text) return undefined
        last.set(key, { text, object: recorded })
      }
      return { change: CHANGES[type], object: recorded }
    },
    list: () => [...last.values()].map(({ object }) => object),
  }
}
