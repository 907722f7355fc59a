/**
 * The control socket for `rabbitmqctl` in the broker's folder: one request and one response per connection, a
 * line each.
 */
import { unlinkSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import type { Broker } from './broker.ts'
import { toControlSocketPath } from './control-socket-path.ts'
import { VERSION } from './server-connection.ts'

export interface BrokerStatus {
  readonly broker: Broker
  readonly startedAt: number
  countConnections(): number
}

type Command = (status: BrokerStatus, words: readonly string[]) => unknown

const requireUser = ({ broker }: BrokerStatus, name: string | undefined): string => {
  if (name === undefined || !broker.hasUser(name)) throw new Error(`User "${name ?? ''}" does not exist`)
  return name
}

const requireValue = (value: string | undefined, field: string): string => {
  if (!value) throw new Error(`the ${field} is missing`)
  return value
}

const COMMANDS: Record<string, Command> = {
  list_queues: ({ broker }) =>
    broker.queues.map(({ name, ready, unacknowledged, consumerCount, durable }) => ({
      name,
      messages: ready + unacknowledged,
      messages_ready: ready,
      messages_unacknowledged: unacknowledged,
      consumers: consumerCount,
      durable,
    })),
  list_users: ({ broker }) => broker.users.map(({ name, tags }) => ({ user: name, tags: `[${tags}]` })),
  status: ({ broker, startedAt, countConnections }) => ({
    'RabbitMQ version': VERSION,
    'Uptime (seconds)': Math.floor((Date.now() - startedAt) / 1000),
    'Connection count': countConnections(),
    'Queue count': broker.queues.length,
    'OS PID': process.pid,
  }),
  change_password: async (status, [name, password]) => {
    const user = requireUser(status, name)
    const tags = status.broker.users.find((candidate) => candidate.name === user)?.tags ?? ''
    await status.broker.setUser(user, requireValue(password, 'password'), tags)
    return `Changing password for user "${user}" ...`
  },
  add_user: async ({ broker }, [name, password]) => {
    if (name !== undefined && broker.hasUser(name)) throw new Error(`User "${name}" already exists`)
    await broker.setUser(requireValue(name, 'name'), requireValue(password, 'password'), '')
    return `Adding user "${name}" ...`
  },
  delete_user: async (status, [name]) => {
    await status.broker.dropUser(requireUser(status, name))
    return `Deleting user "${name}" ...`
  },
  purge_queue: ({ broker }, [name]) => {
    const queue = broker.queue(name ?? '')
    if (!queue) throw new Error(`queue '${name ?? ''}' not found`)
    broker.purge(queue)
    return `Purging queue '${name}' in vhost '/' ...`
  },
}

const execute = async (status: BrokerStatus, line: string): Promise<string> => {
  try {
    const [command, ...words] = JSON.parse(line) as string[]
    const run = Object.hasOwn(COMMANDS, command!) ? COMMANDS[command!] : undefined
    if (!run) throw new Error(`command '${command}' is unknown`)
    return JSON.stringify({ answer: await run(status, words) })
  } catch (error) {
    return JSON.stringify({ error: (error as Error).message })
  }
}

/** Rejects if the socket cannot be created. */
export const openControlSocket = (folder: string, status: BrokerStatus): Promise<Server> => {
  const path = toControlSocketPath(folder)
  try {
    unlinkSync(path)
  } catch {
    // No socket of an earlier process exists.
  }
  const server = createServer((socket) => {
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      text += chunk
      const end = text.indexOf('\n')
      if (end < 0) return
      void execute(status, text.slice(0, end)).then((line) => socket.end(`${line}\n`))
    })
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => resolve(server))
  })
}
