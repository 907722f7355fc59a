/** An AMQP 0-9-1 broker that keeps durable queues in its folder, as RabbitMQ does. */
import type { Server } from 'node:net'
import type { ListeningServer, StartStoreServer, StoreServerOptions } from '#world/twin/ports'
import { listen } from '../listen.ts'
import { Broker } from './broker.ts'
import { openControlSocket } from './control-socket.ts'
import { ServerConnection } from './server-connection.ts'

/** Creates the configured users, or the one of the environment, if they do not exist. */
const createUsers = async (broker: Broker, { users, environment }: StoreServerOptions): Promise<void> => {
  if (broker.users.length > 0) return
  const { RABBITMQ_DEFAULT_USER = 'guest', RABBITMQ_DEFAULT_PASS = 'guest' } = environment
  await broker.setUser(RABBITMQ_DEFAULT_USER, RABBITMQ_DEFAULT_PASS, 'administrator')
  for (const { name, password } of users) if (!broker.hasUser(name)) await broker.setUser(name, password, '')
}

type Level = 'info' | 'warn' | 'error'

const toLine = (level: Level, number: number, text: string): string => {
  const time = new Date().toISOString().replace('T', ' ').replace('Z', '')
  return `${time} [${level === 'warn' ? 'warning' : level}] <0.${number}.0> ${text}`
}

export const startAmqpServer: StartStoreServer = async (options): Promise<ListeningServer> => {
  const { folder, port, maxConnections, fails, onCommand } = options
  const log = (level: Level, number: number, text: string) => options.log(level, toLine(level, number, text))
  const broker = new Broker()
  await broker.open(folder)
  await createUsers(broker, options)
  let open = 0
  let count = 0
  const server = await listen(port, (socket) => {
    const number = 1000 + ++count
    const remote = `${socket.remoteAddress}:${socket.remotePort} -> ${socket.localAddress}:${socket.localPort}`
    if (maxConnections !== undefined && open >= maxConnections) {
      log('error', number, `connection ${remote} refused: the limit of ${maxConnections} is reached`)
      socket.destroy()
      return
    }
    open++
    log('info', number, `accepting AMQP connection <0.${number}.0> (${remote})`)
    socket.once('close', () => {
      open--
      log('info', number, `closing AMQP connection <0.${number}.0> (${remote})`)
    })
    new ServerConnection({
      socket,
      broker,
      fails,
      log: (level, text) => log(level, number, text),
      onMethod: onCommand,
    })
  })
  const status = { broker, startedAt: Date.now(), connections: () => open }
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
    log('warn', toLine('warn', 1, `rabbitmqctl cannot be used: ${(error as Error).message}`))
    return undefined
  }
}
