/** An AMQP 0-9-1 broker that keeps durable queues in its folder, as RabbitMQ does. */
import type { Server } from 'node:net'
import type { ListeningServer, StartStoreServer, StoreServerOptions } from '#world/twin/ports'
import { listen } from '../listen.ts'
import { Broker } from './broker.ts'
import { openControlSocket } from './control-socket.ts'
import { ServerConnection } from './server-connection.ts'

/** Creates the default user and the configured users, unless the broker already has users. */
const createUsers = async (broker: Broker, { users, environment }: StoreServerOptions): Promise<void> => {
  if (broker.users.length > 0) return
  const { RABBITMQ_DEFAULT_USER = 'guest', RABBITMQ_DEFAULT_PASS = 'guest' } = environment
  await broker.setUser(RABBITMQ_DEFAULT_USER, RABBITMQ_DEFAULT_PASS, 'administrator')
  for (const { name, password } of users) if (!broker.hasUser(name)) await broker.setUser(name, password, '')
}

type Level = 'info' | 'warn' | 'error'

/** `processNumber` identifies an Erlang process of the original, such as that of a connection. */
const toLogLine = (level: Level, processNumber: number, text: string): string => {
  const time = new Date().toISOString().replace('T', ' ').replace('Z', '')
  return `${time} [${level === 'warn' ? 'warning' : level}] <0.${processNumber}.0> ${text}`
}

export const startAmqpServer: StartStoreServer = async (options): Promise<ListeningServer> => {
  const { folder, port, maxConnections, fails, onCommand } = options
  const log = (level: Level, processNumber: number, text: string) =>
    options.log(level, toLogLine(level, processNumber, text))
  const broker = new Broker()
  await broker.open(folder)
  await createUsers(broker, options)
  let openCount = 0
  let acceptedCount = 0
  const server = await listen(port, (socket) => {
    const processNumber = 1000 + ++acceptedCount
    const remote = `${socket.remoteAddress}:${socket.remotePort} -> ${socket.localAddress}:${socket.localPort}`
    if (maxConnections !== undefined && openCount >= maxConnections) {
      log('error', processNumber, `connection ${remote} refused: the limit of ${maxConnections} is reached`)
      socket.destroy()
      return
    }
    openCount++
    log('info', processNumber, `accepting AMQP connection <0.${processNumber}.0> (${remote})`)
    socket.once('close', () => {
      openCount--
      log('info', processNumber, `closing AMQP connection <0.${processNumber}.0> (${remote})`)
    })
    new ServerConnection({
      socket,
      broker,
      fails,
      log: (level, text) => log(level, processNumber, text),
      onMethod: onCommand,
    })
  })
  const status = { broker, startedAt: Date.now(), countConnections: () => openCount }
  const controlSocket = folder === undefined ? undefined : await tryOpenControlSocket(folder, status, options)
  log('info', 1, `started TCP listener on [::]:${server.port}`)
  log('info', 1, 'Server startup complete; 0 plugins started.')
  return {
    port: server.port,
    close: async (graceMs) => {
      controlSocket?.close()
      await server.close(graceMs)
      await broker.close()
    },
  }
}

/** Opens the control socket; the broker also runs without it. */
const tryOpenControlSocket = async (
  folder: string,
  status: Parameters<typeof openControlSocket>[1],
  { log }: StoreServerOptions,
): Promise<Server | undefined> => {
  try {
    return await openControlSocket(folder, status)
  } catch (error) {
    log('warn', toLogLine('warn', 1, `rabbitmqctl cannot be used: ${(error as Error).message}`))
    return undefined
  }
}
