/** Commands about the connection and the server: hello, login, status. */
import { Binary, type Document } from '../bson.ts'
import { MongoFailure } from '../mongo-failure.ts'
import { createScramServer, MECHANISMS, type Mechanism, parseUserName } from '../scram.ts'
import type { Command, CommandContext } from './command.ts'

export const VERSION = '4.4.6'

/** The program of a container is its first process. */
const PROCESS_ID = 1

const hello: Command = {
  action: 'none',
  run: ({ host, session, users }, command) => {
    const [, db = '', user = ''] = /^([^.]*)\.(.*)$/.exec(String(command.saslSupportedMechs ?? '')) ?? []
    const account = users.find(db, user)
    return {
      helloOk: true,
      ismaster: true,
      isWritablePrimary: true,
      maxBsonObjectSize: 16_777_216,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 100_000,
      localTime: new Date(host.now()),
      logicalSessionTimeoutMinutes: 30,
      connectionId: session.connectionId,
      minWireVersion: 0,
      maxWireVersion: 9,
      readOnly: false,
      ...(account && { saslSupportedMechs: MECHANISMS.filter((name) => account.credentials[name]) }),
    }
  },
}

const decodePayload = (payload: unknown): string =>
  payload instanceof Binary
    ? payload.bytes.toString('utf8')
    : Buffer.from(String(payload), 'base64').toString()

const toSaslReply = (text: string, done: boolean): Document => ({
  conversationId: 1,
  done,
  payload: new Binary(Buffer.from(text)),
})

/** Logs the failed login and returns its error. */
const logFailedLogin = (
  context: CommandContext,
  user: string,
  mechanism: string,
  result: string,
): MongoFailure => {
  context.log('info', 'ACCESS', 'Authentication failed', {
    mechanism,
    principalName: user,
    authenticationDatabase: context.database,
    client: context.session.remote,
    result,
  })
  return new MongoFailure('AuthenticationFailed', 'Authentication failed.')
}

const saslStart: Command = {
  action: 'none',
  run: (context, command) => {
    const mechanism = command.mechanism as Mechanism
    const first = decodePayload(command.payload)
    const user = parseUserName(first)
    const credential = context.users.find(context.database, user)?.credentials[mechanism]
    const unknownUser = `UserNotFound: Could not find user "${user}" for db "${context.database}"`
    if (!credential) throw logFailedLogin(context, user, mechanism, unknownUser)
    const server = createScramServer(context.host.scram, mechanism, credential, first)
    context.session.conversation = {
      database: context.database,
      user,
      mechanism,
      finish: server.finish,
      isVerified: false,
      skipEmptyExchange: command.options?.skipEmptyExchange === true,
    }
    return toSaslReply(server.first, false)
  },
}

const saslContinue: Command = {
  action: 'none',
  run: (context, command) => {
    const { session, log } = context
    const { conversation } = session
    if (!conversation) throw new MongoFailure('BadValue', 'No SASL session state found')
    const { database: db, user, mechanism } = conversation
    if (conversation.isVerified) {
      session.conversation = undefined
      return toSaslReply('', true)
    }
    const last = conversation.finish(decodePayload(command.payload))
    if (last === undefined) {
      session.conversation = undefined
      throw logFailedLogin(
        context,
        user,
        mechanism,
        'AuthenticationFailed: SCRAM authentication failed, storedKey mismatch',
      )
    }
    session.authenticated.set(db, { user, db })
    log('info', 'ACCESS', 'Successful authentication', {
      mechanism,
      principalName: user,
      authenticationDatabase: db,
      client: session.remote,
    })
    conversation.isVerified = true
    if (conversation.skipEmptyExchange) session.conversation = undefined
    return toSaslReply(last, conversation.skipEmptyExchange)
  },
}

const logout: Command = {
  action: 'none',
  run: ({ session, database }) => {
    session.authenticated.delete(database)
    return {}
  },
}

const connectionStatus: Command = {
  action: 'none',
  run: ({ session, users }) => {
    const authenticatedUsers = [...session.authenticated.values()]
    const authenticatedUserRoles = authenticatedUsers.flatMap(
      ({ db, user }) => users.find(db, user)?.roles ?? [],
    )
    return { authInfo: { authenticatedUsers, authenticatedUserRoles } }
  },
}

const buildInfo: Command = {
  action: 'none',
  run: () => ({
    version: VERSION,
    versionArray: [...VERSION.split('.').map(Number), 0],
    bits: 64,
    maxBsonObjectSize: 16_777_216,
    storageEngines: ['wiredTiger'],
    modules: [],
  }),
}

const serverStatus: Command = {
  action: 'cluster',
  run: ({ host, statistics }) => {
    const { current, total } = statistics.connections()
    return {
      host: host.hostname,
      version: VERSION,
      process: 'mongod',
      pid: PROCESS_ID,
      uptime: Math.floor((host.now() - statistics.startedAt) / 1000),
      localTime: new Date(host.now()),
      connections: { current, available: 51_200 - current, totalCreated: total },
      mem: { resident: Math.round(host.residentBytes() / 1_048_576) },
      opcounters: { ...statistics.counts },
    }
  },
}

const noOperation: Command = { action: 'none', run: () => ({}) }

export const SESSION_COMMANDS: Readonly<Record<string, Command>> = {
  hello,
  isMaster: hello,
  ismaster: hello,
  ping: noOperation,
  endSessions: noOperation,
  saslStart,
  saslContinue,
  logout,
  connectionStatus,
  buildInfo,
  buildinfo: buildInfo,
  whatsmyip: { action: 'none', run: ({ session }) => ({ you: session.remote }) },
  serverStatus,
}
