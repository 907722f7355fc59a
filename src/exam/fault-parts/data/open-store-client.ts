/** Opens the client of a data store over a connection of the laboratory to its pod. */
import { defined } from '#kit'
import type { PodConnection, ProgramConnection } from '#spec'
import { loadStoreClient, type StoreClient, type StoreLogin } from '#world/twin/stores'

/** Creates a client that sends commands to a simulated store as messages. */
type CreateMessageClient = (connection: ProgramConnection, login: StoreLogin | undefined) => StoreClient

/** Loaders by protocol. Clients over sockets need no entry. */
type MessageClients = Readonly<Record<string, () => Promise<CreateMessageClient>>>

/** No engine connects to stores by messages yet. */
const MESSAGE_CLIENTS: MessageClients = {}

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
  messageClients = MESSAGE_CLIENTS,
): Promise<StoreClient> => {
  if (connection.kind === 'messages') {
    const load = messageClients[protocol]
    if (load === undefined) throw new Error(`there is no client for messages of the protocol "${protocol}"`)
    return (await load())(connection.connection, login)
  }
  const createClient = await loadStoreClient(protocol)
  return createClient({
    address: async () => address,
    connect: async () => connection.socket,
    poolSize: 1,
    ...defined({ login }),
  })
}
