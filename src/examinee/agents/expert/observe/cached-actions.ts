/** Reads data through actions, and caches the results. */
import { defined } from '#kit'
import type { Actions, ApiObject } from '#spec'

export interface CachedActions {
  /** Returns the cached value of a key, or reads it. */
  readCached<T>(key: string, read: () => Promise<T>): Promise<T>
  /** Returns the data of an action, or `empty` if it fails: missing data is not evidence. */
  call<T>(name: string, input: object, empty: T): Promise<T>
  /** Lists the objects of a kind, or the one with the name, and caches them. */
  list(kind: string, name?: string): Promise<readonly ApiObject[]>
  clear(): void
}

export const createCachedActions = (actions: Actions): CachedActions => {
  const cache = new Map<string, Promise<unknown>>()
  const reader: CachedActions = {
    readCached<T>(key: string, read: () => Promise<T>) {
      const value = (cache.get(key) as Promise<T> | undefined) ?? read()
      cache.set(key, value)
      return value
    },
    async call<T>(name: string, input: object, empty: T) {
      const { ok, data } = await actions.call(name, input)
      return ok && data !== undefined && data !== null ? (data as T) : empty
    },
    list: (kind, name) =>
      reader.readCached(`${kind} ${name ?? ''}`, () =>
        reader.call<readonly ApiObject[]>('get_objects', { kind, ...defined({ name }) }, []),
      ),
    clear: () => cache.clear(),
  }
  return reader
}
