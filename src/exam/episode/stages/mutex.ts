/** A mutex that serves its callers in order. */

/** Each call resolves when all earlier callers have released the lock; the result releases it. */
export const createMutex = (): (() => Promise<() => void>) => {
  let last = Promise.resolve()
  return async () => {
    const previous = last
    const { promise, resolve } = Promise.withResolvers<void>()
    last = promise
    await previous
    return resolve
  }
}
