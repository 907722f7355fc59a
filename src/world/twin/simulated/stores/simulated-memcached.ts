/** memcached in a simulated container: its server and its clients. */
import type { AcceptedConnection, ProgramConnection, ProgramHost, ProgramMessage } from '#spec'
import {
  CallFailure,
  type ListeningServer,
  type StoreClient,
  type StoreClientOptions,
  type StoreServerOptions,
} from '#world/twin/ports'
import type { MemcachedConnection } from '#world/twin/stores'
import { STORE_CORES } from './store-cores.ts'
import { connectToStore, StoreLink } from './store-link.ts'
import { serveStore } from './store-server.ts'

const { CLOSED_BY_CLIENT, CLOSED_BY_SERVER, createClientOver, MemcachedServer, TOO_LARGE } =
  STORE_CORES.memcached

class MemcachedCommand {
  readonly line: string
  readonly data: string

  constructor(line: string, data: string) {
    this.line = line
    this.data = data
  }
}

class MemcachedAnswer {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const toMessage = (text: string): ProgramMessage => ({
  content: new MemcachedAnswer(text),
  bytes: text.length,
})

/** Resolves when the server accepts the connection, possibly only after another one closes. */
const admit = (server: InstanceType<typeof MemcachedServer>, connection: AcceptedConnection): Promise<void> =>
  new Promise((resolve) => {
    let isClosed = false
    let isServed = false
    connection.onClose(() => {
      isClosed = true
      if (isServed) server.release()
    })
    server.admit({
      isGone: () => isClosed,
      start: () => {
        isServed = true
        resolve()
      },
    })
  })

/** Answers like `startMemcachedServer`. */
export const startSimulatedMemcached = async (
  host: ProgramHost,
  options: StoreServerOptions,
): Promise<ListeningServer> => {
  const server = new MemcachedServer(options, host)
  const listening = serveStore(host, options, {
    port: options.port,
    accept: (connection) => {
      const served = admit(server, connection)
      return async ({ content }) => {
        if (!(content instanceof MemcachedCommand)) throw new Error('the request is not a memcached command')
        await served
        const { line, data } = content
        if (data.length > server.maxItemBytes) return toMessage(`${TOO_LARGE}\r\n`)
        return toMessage(`${server.run(line.split(' '), data) ?? ''}\r\n`)
      }
    },
  })
  server.announce(listening.port)
  return listening
}

const LINK_TEXTS = { closedByServer: CLOSED_BY_SERVER, closedByClient: CLOSED_BY_CLIENT }

class SimulatedMemcachedConnection extends StoreLink implements MemcachedConnection {
  async send({ line, data = '' }: { readonly line: string; readonly data?: string }): Promise<string> {
    const message = { content: new MemcachedCommand(line, data), bytes: line.length + data.length + 4 }
    const answer = await this.exchange(message)
    if (answer instanceof MemcachedAnswer) return answer.text
    this.close()
    throw new CallFailure('reset', CLOSED_BY_SERVER)
  }
}

/** Sends commands over a connection. */
export const openSimulatedMemcachedConnection = async (
  connection: ProgramConnection,
): Promise<MemcachedConnection> => new SimulatedMemcachedConnection(connection, LINK_TEXTS)

/** Behaves like `createMemcachedClient`. */
export const createSimulatedMemcachedClient = (host: ProgramHost, options: StoreClientOptions): StoreClient =>
  createClientOver(options, host, async () =>
    openSimulatedMemcachedConnection(await connectToStore(host, options)),
  )
