/** A broker without its sockets: users, connections, and log lines in the format of RabbitMQ. */
import type { StoreServerOptions } from '#world/twin/ports'
import type { ByteStream } from '../byte-stream.ts'
import type { StoreHost } from '../store-host.ts'
import { Broker } from './broker.ts'
import type { BrokerStatus } from './control-commands.ts'
import { ServerConnection } from './server-connection.ts'

type Level = 'info' | 'warn' | 'error'

/** The process of the log lines that concern no connection. */
const MAIN_PROCESS = 1
const FIRST_PROCESS = 1000

export class AmqpServer {
  readonly status: BrokerStatus
  readonly #options: StoreServerOptions
  readonly #host: StoreHost
  readonly #broker: Broker
  #openCount = 0
  #acceptedCount = 0

  constructor(options: StoreServerOptions, host: StoreHost) {
    const now = (): number => Math.floor(host.time.now())
    this.#options = options
    this.#host = host
    this.#broker = new Broker(host)
    this.status = { broker: this.#broker, startedAt: now(), now, countConnections: () => this.#openCount }
  }

  /** Reads the queues of the folder, and creates users if there are none. */
  async open(): Promise<void> {
    const { folder, users, environment } = this.#options
    await this.#broker.open(folder)
    if (this.#broker.users.length > 0) return
    const { RABBITMQ_DEFAULT_USER = 'guest', RABBITMQ_DEFAULT_PASS = 'guest' } = environment
    await this.#broker.setUser(RABBITMQ_DEFAULT_USER, RABBITMQ_DEFAULT_PASS, 'administrator')
    for (const { name, password } of users)
      if (!this.#broker.hasUser(name)) await this.#broker.setUser(name, password, '')
  }

  close(): Promise<void> {
    return this.#broker.close()
  }

  /** `processNumber` identifies an Erlang process of the original, such as that of a connection. */
  log(level: Level, text: string, processNumber = MAIN_PROCESS): void {
    const time = new Date(this.#host.time.now()).toISOString().replace('T', ' ').replace('Z', '')
    const levelText = level === 'warn' ? 'warning' : level
    this.#options.log(level, `${time} [${levelText}] <0.${processNumber}.0> ${text}`)
  }

  /** Logs that the server listens. */
  announce(port: number): void {
    this.log('info', `started TCP listener on [::]:${port}`)
    this.log('info', 'Server startup complete; 0 plugins started.')
  }

  /** `remote` names both ends of the connection. */
  accept(socket: ByteStream, remote: string): void {
    const { maxConnections, fails, onCommand } = this.#options
    const processNumber = FIRST_PROCESS + ++this.#acceptedCount
    if (maxConnections !== undefined && this.#openCount >= maxConnections) {
      const text = `connection ${remote} refused: the limit of ${maxConnections} is reached`
      this.log('error', text, processNumber)
      socket.destroy()
      return
    }
    this.#openCount++
    this.log('info', `accepting AMQP connection <0.${processNumber}.0> (${remote})`, processNumber)
    socket.once('close', () => {
      this.#openCount--
      this.log('info', `closing AMQP connection <0.${processNumber}.0> (${remote})`, processNumber)
    })
    new ServerConnection({
      socket,
      time: this.#host.time,
      broker: this.#broker,
      fails,
      log: (level, text) => this.log(level, text, processNumber),
      onMethod: onCommand,
    })
  }
}
