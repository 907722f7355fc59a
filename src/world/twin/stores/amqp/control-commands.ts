/** The commands with which `rabbitmqctl` controls a broker. */
import type { Broker } from './broker.ts'
import { VERSION } from './server-connection.ts'

/** The program of a container is its first process. */
const PROCESS_ID = 1

export interface BrokerStatus {
  readonly broker: Broker
  /** Whole milliseconds since the epoch. */
  readonly startedAt: number
  now(): number
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
  status: ({ broker, startedAt, now, countConnections }) => ({
    'RabbitMQ version': VERSION,
    'Uptime (seconds)': Math.floor((now() - startedAt) / 1000),
    'Connection count': countConnections(),
    'Queue count': broker.queues.length,
    'OS PID': PROCESS_ID,
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

export interface ControlAnswer {
  readonly answer?: unknown
  readonly error?: string
}

/** Runs a command of `rabbitmqctl`. */
export const runControlCommand = async (
  status: BrokerStatus,
  [command = '', ...words]: readonly string[],
): Promise<ControlAnswer> => {
  try {
    const run = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined
    if (!run) throw new Error(`command '${command}' is unknown`)
    return { answer: await run(status, words) }
  } catch (error) {
    return { error: (error as Error).message }
  }
}
