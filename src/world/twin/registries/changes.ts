/** Lets requests wait for changes to a name, so that registries can notify clients without delay. */
import type { RegistryHost } from './registry-host.ts'

export interface Changes {
  /** Increases with every change to the name. */
  index(name: string): number
  record(name: string): void
  /** Resolves when the index differs from the given one, or after `milliseconds`. */
  wait(name: string, index: number, milliseconds: number): Promise<void>
  /** Resolves all pending waits. */
  close(): void
}

/** The index of unknown names; 0 means that a client has no index yet. */
const INITIAL_INDEX = 1

export const createChanges = ({ time }: Pick<RegistryHost, 'time'>): Changes => {
  const indices = new Map<string, number>()
  const waiting = new Map<string, Set<() => void>>()
  let last = INITIAL_INDEX
  const index = (name: string): number => indices.get(name) ?? INITIAL_INDEX
  const wakeAll = (name: string): void => {
    for (const wake of waiting.get(name) ?? []) wake()
  }
  return {
    index,
    record: (name) => {
      last += 1
      indices.set(name, last)
      wakeAll(name)
    },
    wait: (name, knownIndex, milliseconds) => {
      if (knownIndex !== index(name)) return Promise.resolve()
      return new Promise((resolve) => {
        const waiters = waiting.get(name) ?? new Set()
        const wake = (): void => {
          cancelTimeout()
          waiters.delete(wake)
          if (waiters.size === 0) waiting.delete(name)
          resolve()
        }
        const cancelTimeout = time.after(milliseconds, wake)
        waiting.set(name, waiters.add(wake))
      })
    },
    close: () => {
      for (const name of [...waiting.keys()]) wakeAll(name)
    },
  }
}
