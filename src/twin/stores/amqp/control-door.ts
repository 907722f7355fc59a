/** The door for `rabbitmqctl`: a socket in the broker's folder, a question and an answer of one line each. */
import { unlinkSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import type { Broker } from './broker.ts'
import { rabbitmqDoorIn } from './rabbitmq-door.ts'
import { VERSION } from './server-connection.ts'

export interface DoorFacts {
  readonly broker: Broker
  readonly startedAt: number
  connections(): number
}

type Answer = (facts: DoorFacts, words: readonly string[]) => unknown

const knownUser = ({ broker }: DoorFacts, name: string | undefined): string => {
  if (name === undefined || !broker.hasUser(name)) throw new Error(`User "${name ?? ''}" does not exist`)
  return name
}

const given = (value: string | undefined, what: string): string => {
  if (!value) throw new Error(`the ${what} is missing`)
  return value
}

const QUESTIONS: Record<string, Answer> = {
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
  status: ({ broker, startedAt, connections }) => ({
    'RabbitMQ version': VERSION,
    'Uptime (seconds)': Math.floor((Date.now() - startedAt) / 1000),
    'Connection count': connections(),
    'Queue count': broker.queues.length,
    'OS PID': process.pid,
  }),
  change_password: async (facts, [name, password]) => {
    const user = knownUser(facts, name)
    const tags = facts.broker.users.find((one) => one.name === user)?.tags ?? ''
    await facts.broker.setUser(user, given(password, 'password'), tags)
    return `Changing password for user "${user}" ...`
  },
  add_user: async ({ broker }, [name, password]) => {
    if (name !== undefined && broker.hasUser(name)) throw new Error(`User "${name}" already exists`)
    await broker.setUser(given(name, 'name'), given(password, 'password'), '')
    return `Adding user "${name}" ...`
  },
  delete_user: async (facts, [name]) => {
    await facts.broker.dropUser(knownUser(facts, name))
    return `Deleting user "${name}" ...`
  },
  purge_queue: ({ broker }, [name]) => {
    const queue = broker.queue(name ?? '')
    if (!queue) throw new Error(`queue '${name ?? ''}' not found`)
    broker.purge(queue)
    return `Purging queue '${name}' in vhost '/' ...`
  },
}

const answer = async (facts: DoorFacts, line: string): Promise<string> => {
  try {
    const [question, ...words] = JSON.parse(line) as string[]
    const ask = Object.hasOwn(QUESTIONS, question!) ? QUESTIONS[question!] : undefined
    if (!ask) throw new Error(`command '${question}' is not known`)
    return JSON.stringify({ answer: await ask(facts, words) })
  } catch (error) {
    return JSON.stringify({ error: (error as Error).message })
  }
}

/** Rejects where the folder does not take it. */
export const openControlDoor = (folder: string, facts: DoorFacts): Promise<Server> => {
  const path = rabbitmqDoorIn(folder)
  try {
    unlinkSync(path)
  } catch {
    // There is none of an earlier process.
  }
  const server = createServer((socket) => {
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      text += chunk
      const end = text.indexOf('\n')
      if (end < 0) return
      void answer(facts, text.slice(0, end)).then((line) => socket.end(`${line}\n`))
    })
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => resolve(server))
  })
}
