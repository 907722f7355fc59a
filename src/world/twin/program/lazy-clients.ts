/** Clients by the name of their upstream, each created once, on first use. */

export interface LazyClients<T> {
  get(name: string): Promise<T>
  /** Closes the clients created so far. */
  close(): Promise<void>
}

export const createLazyClients = <T extends { close(): unknown }>(
  create: (name: string) => Promise<T>,
): LazyClients<T> => {
  const clients = new Map<string, Promise<T>>()
  return {
    get: (name) => {
      const existing = clients.get(name)
      if (existing !== undefined) return existing
      const client = create(name)
      clients.set(name, client)
      // After a failure the next caller retries.
      client.catch(() => clients.delete(name))
      return client
    },
    close: async () => {
      const settled = await Promise.allSettled(clients.values())
      await Promise.allSettled(
        settled.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.close() : undefined)),
      )
    },
  }
}
