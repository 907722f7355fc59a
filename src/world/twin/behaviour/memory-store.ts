/** The in-process store of a service: an LRU map. */
import { StepFailure } from './step-failure.ts'

export type MemoryStore = (command: readonly unknown[]) => unknown

const DEFAULT_SIZE = 10_000

/** The commands are `get`, `set`, `delete` and `all`, which returns the values, most recently used last. */
export const createMemoryStore = (size = DEFAULT_SIZE): MemoryStore => {
  const entries = new Map<string, unknown>()
  const touch = (key: string, value: unknown): void => {
    entries.delete(key)
    entries.set(key, value)
    if (entries.size <= size) return
    for (const oldest of entries.keys()) {
      entries.delete(oldest)
      return
    }
  }
  const get = (key: string): unknown => {
    if (!entries.has(key)) return null
    const value = entries.get(key)
    touch(key, value)
    return value
  }
  return ([verb, key, value]) => {
    const name = String(key)
    if (verb === 'get') return get(name)
    if (verb === 'all') return [...entries.values()]
    if (verb === 'delete') return entries.delete(name)
    if (verb !== 'set')
      throw new StepFailure(
        `the memory store has the commands get, set, delete and all, not "${String(verb)}"`,
      )
    touch(name, value)
    return value
  }
}
