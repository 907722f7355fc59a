/** An AMQP 0-9-1 broker that keeps durable queues in its folder, as RabbitMQ does. */
import type { Server } from 'node:net'
import type { ListeningServer, StartStoreServer } from '#world/twin/ports'
import { listen } from '../listen.ts'
import { processHost } from '../process-host.ts'
import { AmqpServer } from './amqp-server.ts'
import { openControlSocket } from './control-socket.ts'

export const startAmqpServer: StartStoreServer = async (options): Promise<ListeningServer> => {
  const { folder, port } = options
  const server = new AmqpServer(options, processHost)
  await server.open()
  const listening = await listen(port, (socket) => {
    const { remoteAddress, remotePort, localAddress, localPort } = socket
    server.accept(socket, `${remoteAddress}:${remotePort} -> ${localAddress}:${localPort}`)
  })
  const controlSocket = folder === undefined ? undefined : await tryOpenControlSocket(folder, server)
  server.announce(listening.port)
  return {
    port: listening.port,
    close: async (graceMs) => {
      controlSocket?.close()
      await listening.close(graceMs)
      await server.close()
    },
  }
}

/** Opens the control socket; the broker also runs without it. */
const tryOpenControlSocket = async (folder: string, server: AmqpServer): Promise<Server | undefined> => {
  try {
    return await openControlSocket(folder, server.status)
  } catch (error) {
    server.log('warn', `rabbitmqctl cannot be used: ${(error as Error).message}`)
    return undefined
  }
}
