/** Redis in a simulated container: its server and its clients. */
import type { ProgramConnection, ProgramHost, ProgramMessage } from '#spec'
import {
  CallFailure,
  type ListeningServer,
  type StoreClient,
  type StoreClientOptions,
  type StoreLogin,
  type StoreServerOptions,
} from '#world/twin/ports'
import { type RedisConnection, RedisError, type RedisReply, Status } from '#world/twin/stores'
import { STORE_CORES } from './store-cores.ts'
import { connectToStore, StoreLink } from './store-link.ts'
import { serveStore } from './store-server.ts'

const {
  answerCommands,
  CLOSED_BY_CLIENT,
  CLOSED_BY_SERVER,
  createClientOver,
  logIn,
  RedisServer,
  startCommand,
  TOO_MANY_CLIENTS,
  toByteString,
} = STORE_CORES.redis

class RedisCommand {
  /** Strings with one character per byte. */
  readonly words: readonly string[]

  constructor(words: readonly string[]) {
    this.words = words
  }
}

class RedisAnswer {
  readonly reply: RedisReply

  constructor(reply: RedisReply) {
    this.reply = reply
  }
}

/** The length and the line breaks of a word. */
const WORD_BYTES = 7

const replyBytes = (reply: RedisReply): number => {
  if (typeof reply === 'string') return WORD_BYTES + reply.length
  if (reply instanceof Status) return WORD_BYTES + reply.text.length
  if (reply instanceof RedisError) return WORD_BYTES + reply.message.length
  if (!Array.isArray(reply)) return WORD_BYTES
  return reply.reduce((sum: number, part: RedisReply) => sum + replyBytes(part), WORD_BYTES)
}

const toAnswerMessage = (reply: RedisReply): ProgramMessage => ({
  content: new RedisAnswer(reply),
  bytes: replyBytes(reply),
})

/** Answers like `startRedisServer`. */
export const startSimulatedRedis = async (
  host: ProgramHost,
  options: StoreServerOptions,
): Promise<ListeningServer> => {
  const { time } = host
  const server = new RedisServer(options, host)
  await server.open()
  const service = { server, options, time }
  const listening = serveStore(host, options, {
    port: options.port,
    close: () => server.data.close(),
    accept: (connection, { clientPort }) => {
      const closeSoon = (): void => void time.after(0, () => connection.close())
      const session = server.openSession(`${connection.from}:${clientPort}`, () => connection.close())
      if (session !== undefined) connection.onClose(() => server.removeSession(session))
      return async ({ content }) => {
        if (!(content instanceof RedisCommand)) throw new Error('the request is not a Redis command')
        if (session === undefined) {
          closeSoon()
          return toAnswerMessage(TOO_MANY_CLIENTS)
        }
        const [reply] = await answerCommands(service, [startCommand(service, session, content.words)])
        if (session.isClosing) closeSoon()
        return toAnswerMessage(reply!)
      }
    },
  })
  server.announce()
  return listening
}

const LINK_TEXTS = { closedByServer: CLOSED_BY_SERVER, closedByClient: CLOSED_BY_CLIENT }

class SimulatedRedisConnection extends StoreLink implements RedisConnection {
  async send(words: readonly (string | number)[]): Promise<RedisReply> {
    const encoded = words.map(toByteString)
    const bytes = encoded.reduce((sum, word) => sum + WORD_BYTES + word.length, WORD_BYTES)
    const answer = await this.exchange({ content: new RedisCommand(encoded), bytes })
    if (answer instanceof RedisAnswer) return answer.reply
    this.close()
    throw new CallFailure('reset', 'Protocol error: unexpected answer')
  }
}

/** Logs in over a connection, and sends commands over it. */
export const openSimulatedRedisConnection = (
  connection: ProgramConnection,
  login: StoreLogin | undefined,
): Promise<RedisConnection> => logIn(new SimulatedRedisConnection(connection, LINK_TEXTS), login)

/** Behaves like `createRedisClient`. */
export const createSimulatedRedisClient = (host: ProgramHost, options: StoreClientOptions): StoreClient =>
  createClientOver(options, host, async () =>
    openSimulatedRedisConnection(await connectToStore(host, options), options.login),
  )
