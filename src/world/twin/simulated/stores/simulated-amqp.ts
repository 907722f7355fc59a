/** RabbitMQ in a simulated container: its broker, its clients, and its control by programs of the pod. */
import type { ProgramHost } from '#spec'
import type { BrokerClient, ListeningServer, StoreClientOptions, StoreServerOptions } from '#world/twin/ports'
import type { ControlAnswer } from '#world/twin/stores'
import { acceptByteStream } from './accept-byte-stream.ts'
import { openByteStream } from './open-byte-stream.ts'
import { STORE_CORES } from './store-cores.ts'
import { connectToStore } from './store-link.ts'
import { serveStore } from './store-server.ts'

const { AmqpServer, createClientOver, openAmqpConnection, runControlCommand } = STORE_CORES.amqp

/** The port that the original broker reserves for command-line programs. */
const CONTROL_PORT = 25_672

class ControlRequest {
  readonly words: readonly string[]

  constructor(words: readonly string[]) {
    this.words = words
  }
}

/** Programs of other pods are rejected, because the original uses a secret of the pod. */
const listenForControl = (host: ProgramHost, server: InstanceType<typeof AmqpServer>) => {
  try {
    return host.network.listen(CONTROL_PORT, ({ from }) => async ({ content }) => {
      if (!from.startsWith('127.') || !(content instanceof ControlRequest))
        throw new Error('the request is not from rabbitmqctl in this pod')
      return { content: await runControlCommand(server.status, content.words), bytes: 100 }
    })
  } catch (error) {
    server.log('warn', `rabbitmqctl cannot be used: ${(error as Error).message}`)
    return undefined
  }
}

/** Sends a command to the broker of this pod. Rejects if there is none. */
export const controlSimulatedBroker = async (
  host: Pick<ProgramHost, 'network'>,
  words: readonly string[],
): Promise<ControlAnswer> => {
  const connection = await host.network.connect('127.0.0.1', CONTROL_PORT)
  try {
    return (await connection.exchange({ content: new ControlRequest(words), bytes: 100 }))
      .content as ControlAnswer
  } finally {
    connection.close()
  }
}

/** Answers like `startAmqpServer`. */
export const startSimulatedAmqp = async (
  host: ProgramHost,
  options: StoreServerOptions,
): Promise<ListeningServer> => {
  const server = new AmqpServer(options, host)
  await server.open()
  const control = options.folder === undefined ? undefined : listenForControl(host, server)
  const listening = serveStore(host, options, {
    port: options.port,
    close: () => server.close(),
    accept: (connection, { clientPort }) => {
      const { stream, handle } = acceptByteStream(connection, host.time)
      server.accept(stream, `${connection.from}:${clientPort} -> ${host.network.address}:${options.port}`)
      return handle
    },
  })
  server.announce(listening.port)
  return {
    port: listening.port,
    close: async (graceMs) => {
      control?.close()
      await listening.close(graceMs)
    },
  }
}

/** Behaves like `createAmqpClient`. */
export const createSimulatedAmqpClient = (host: ProgramHost, options: StoreClientOptions): BrokerClient =>
  createClientOver(host, async () => {
    const connection = await connectToStore(host, options)
    return openAmqpConnection(openByteStream(connection, host.time), host, options.login)
  })
