/** The listeners of a store, by kind. */
import type { Change } from './change.ts'

export type ChangeListener = (change: Change) => void

export interface Listeners {
  /** Returns a function that removes the listener. */
  add(kind: string, listener: ChangeListener): () => void
  notify(kind: string, change: Change): void
}

/** `onError` receives errors of listeners. */
export const createListeners = (onError: (error: unknown) => void): Listeners => {
  const byKind = new Map<string, Set<ChangeListener>>()
  return {
    add(kind, listener) {
      const kindListeners = byKind.get(kind) ?? new Set()
      byKind.set(kind, kindListeners)
      kindListeners.add(listener)
      return () => {
        kindListeners.delete(listener)
        if (kindListeners.size === 0 && byKind.get(kind) === kindListeners) byKind.delete(kind)
      }
    },
    notify(kind, change) {
      const kindListeners = byKind.get(kind)
      if (kindListeners === undefined) return
      // A listener can add or remove others: new ones are not called, removed ones are skipped.
      for (const listener of [...kindListeners]) {
        if (!kindListeners.has(listener)) continue
        try {
          listener(change)
        } catch (error) {
          onError(error)
        }
      }
    },
  }
}
