/** Removals that run in the background until the runtime closes. */
export interface PendingRemovals {
  /** Errors of the removal are ignored. */
  add(removal: Promise<void>): void
  /** Resolves when the removals that are pending now have ended. */
  settled(): Promise<unknown>
}

export const createPendingRemovals = (): PendingRemovals => {
  const pending = new Set<Promise<void>>()
  return {
    add(removal) {
      const done = removal.catch(() => {}).finally(() => pending.delete(done))
      pending.add(done)
    },
    settled: () => Promise.all([...pending]),
  }
}
