/** Clients by the name of whom they call, each made once and when it is first asked for. */

export interface LazyClients<T> {
  get(name: string): Promise<T>
  /** Those that were made. */
  close(): Promise<void>
}

export const createLazyClients = <T extends { close(): unknown }>(
  create: (name: string) => Promise<T>,
): LazyClients<T> => {
  const made = new Map<string, Promise<T>>()
  return {
    get: (name) => {
      const known = made.get(name)
      if (known !== undefined) return known
      const one = create(name)
      made.set(name, one)
      // What could not be made is tried again by the next who asks.
      one.catch(() => made.delete(name))
      return one
    },
    close: async () => {
      const all = await Promise.allSettled(made.values())
      await Promise.allSettled(all.map((one) => (one.status === 'fulfilled' ? one.value.close() : undefined)))
    },
  }
}
