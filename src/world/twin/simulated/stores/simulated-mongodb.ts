/** MongoDB in a simulated container: its server and its clients. */
import { pbkdf2Sync } from 'node:crypto'
import type { AcceptedConnection, ProgramConnection, ProgramHost, ProgramMessage } from '#spec'
import {
  CallFailure,
  type ListeningServer,
  type StoreClient,
  type StoreClientOptions,
  type StoreLogin,
  type StoreServerOptions,
} from '#world/twin/ports'
import type { MongoConnection, MongoDocument, MongoTransport, ScramSource } from '#world/twin/stores'
import { copyAsBson } from './copy-as-bson.ts'
import { STORE_CORES } from './store-cores.ts'
import { connectToStore, StoreLink } from './store-link.ts'
import { serveStore } from './store-server.ts'

const {
  CLOSED_BY_CLIENT,
  CLOSED_BY_SERVER,
  createClientOver,
  MongoConnection: Connection,
  MongodbServer,
} = STORE_CORES.mongodb

/** A login takes as many messages as a real one, but does not use CPU time of this machine. */
const createScram = ({ random }: Pick<ProgramHost, 'random'>): ScramSource => ({
  random,
  iterations: { 'SCRAM-SHA-1': 1, 'SCRAM-SHA-256': 1 },
  derive: async (secret, salt, iterations, bytes, hash) => pbkdf2Sync(secret, salt, iterations, bytes, hash),
})

class MongoMessage {
  readonly body: MongoDocument

  constructor(body: MongoDocument) {
    this.body = body
  }
}

/** The header, the flags and the kind of the section. */
const HEADER_BYTES = 21

const toMessage = (body: MongoDocument): ProgramMessage => {
  const { document, bytes } = copyAsBson(body)
  return { content: new MongoMessage(document), bytes: HEADER_BYTES + bytes }
}

const isFromPod = ({ from }: AcceptedConnection): boolean => from.startsWith('127.')

/** Answers like `startMongodbServer`, without TLS, which no client in a simulated container speaks. */
export const startSimulatedMongodb = async (
  host: ProgramHost,
  options: StoreServerOptions,
): Promise<ListeningServer> => {
  const server = new MongodbServer(options, host, createScram(host))
  await server.open()
  const listening = serveStore(host, options, {
    port: server.port,
    close: () => server.close(),
    accept: (connection, { clientPort }) => {
      const session = server.openSession(`${connection.from}:${clientPort}`)
      if (session !== undefined) connection.onClose(() => server.closeSession(session))
      return async ({ content }) => {
        // The network accepts every connection, so one that the server must refuse ends at its first request.
        if (server.isLocal && !isFromPod(connection)) throw new Error('the server listens on 127.0.0.1')
        if (session === undefined) throw new Error('there are too many connections')
        if (!(content instanceof MongoMessage)) {
          server.log.malformedInput(session, 'invalid message size')
          throw new Error('the request is not a MongoDB message')
        }
        if (server.settings.requireTls) {
          server.log.missingTls(session)
          throw new Error('the client does not speak TLS')
        }
        return toMessage(await server.run(session, content.body))
      }
    },
  })
  server.announce(listening.port)
  return listening
}

const LINK_TEXTS = { closedByServer: CLOSED_BY_SERVER, closedByClient: CLOSED_BY_CLIENT }

class SimulatedTransport extends StoreLink implements MongoTransport {
  async send(body: MongoDocument): Promise<MongoDocument> {
    const answer = await this.exchange(toMessage(body))
    if (answer instanceof MongoMessage) return answer.body
    this.close()
    throw new CallFailure('reset', 'malformed reply from MongoDB: invalid message size')
  }
}

/** Logs in over a connection, and sends commands over it. */
export const openSimulatedMongoConnection = (
  host: Pick<ProgramHost, 'random'>,
  connection: ProgramConnection,
  login: StoreLogin | undefined,
  authenticationDatabase?: string,
): Promise<MongoConnection> =>
  new Connection(new SimulatedTransport(connection, LINK_TEXTS), createScram(host)).logIn(
    login,
    authenticationDatabase,
  )

/** Behaves like `createMongodbClient`. */
export const createSimulatedMongodbClient = (host: ProgramHost, options: StoreClientOptions): StoreClient =>
  createClientOver(options, host, async () =>
    openSimulatedMongoConnection(host, await connectToStore(host, options), options.login),
  )
