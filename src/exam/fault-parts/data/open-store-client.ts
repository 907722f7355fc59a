/** Opens the client of a data store over a connection of the laboratory to its pod. */
import { defined } from '#kit'
import type { PodConnection } from '#spec'
import { loadStoreClient, type StoreClient, type StoreLogin } from '#world/twin/stores'

interface StoreClientRequest {
  readonly protocol: string
  readonly address: { readonly host: string; readonly port: number }
  readonly login: StoreLogin | undefined
}

export const closePodConnection = (connection: PodConnection): void => {
  if (connection.kind === 'socket') connection.socket.destroy()
  else connection.connection.close()
}

/** The caller closes the client and the connection. */
export const openStoreClient = async (
  connection: PodConnection,
  { protocol, address, login }: StoreClientRequest,
): Promise<StoreClient> => {
  if (connection.kind === 'messages') {
    const { openSimulatedStoreClient } = await import('#world/twin/simulated')
    return openSimulatedStoreClient(protocol, connection.connection, login)
  }
  const createClient = await loadStoreClient(protocol)
  return createClient({
    address: async () => address,
    connect: async () => connection.socket,
    poolSize: 1,
    ...defined({ login }),
  })
}
