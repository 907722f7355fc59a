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
      const known = byKind.get(kind) ?? new Set()
      byKind.set(kind, known)
      known.add(listener)
      return () => {
        known.delete(listener)
        if (known.size === 0 && byKind.get(kind) === known) byKind.delete(kind)
      }
    },
    notify(kind, change) {
      const known = byKind.get(kind)
      if (known === undefined) return
      // A listener can add or remove others: new ones are not called, removed ones are skipped.
      for (const listener of [...known]) {
        if (!known.has(listener)) continue
        try {
          listener(change)
        } catch (error) {
          onError(error)
        }
      }
    },
  }
}
