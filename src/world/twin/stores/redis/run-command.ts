/** Runs the commands of a client: those about the server and the session, and those on the data. */
import { checkArity, DATABASES, findCommand } from './dataset.ts'
import type { RedisServer } from './redis-server.ts'
import { OK, RedisError, type Reply, Status } from './resp.ts'
import type { Session } from './session.ts'

const COMMANDS_WITHOUT_LOGIN = new Set(['AUTH', 'HELLO', 'QUIT'])

/** Whether it is `DEBUG CHECK-AOF`, which reads the file after the command has run. */
export const isFileCheck = ([name, action]: readonly string[]): boolean =>
  name?.toUpperCase() === 'DEBUG' && action?.toUpperCase() === 'CHECK-AOF'

type SessionCommand = (server: RedisServer, session: Session, words: readonly string[]) => Reply

const authenticate: SessionCommand = (server, session, words) => {
  checkArity('auth', -2, words)
  const [user, password] = words.length > 2 ? [words[1]!, words[2]!] : ['default', words[1]!]
  if (!server.needsLogin && words.length === 2)
    throw new RedisError(
      'ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?',
    )
  if (!server.accepts(user, password))
    throw new RedisError('WRONGPASS invalid username-password pair or user is disabled.')
  session.user = user
  return OK
}

const select: SessionCommand = (_, session, words) => {
  checkArity('select', 2, words)
  const database = Number(words[1])
  if (!Number.isInteger(database)) throw new RedisError('ERR value is not an integer or out of range')
  if (database < 0 || database >= DATABASES) throw new RedisError('ERR DB index is out of range')
  session.database = database
  return OK
}

const configure: SessionCommand = (server, _, words) => {
  const [, action, name, value] = words
  if (action?.toUpperCase() === 'GET' && name !== undefined) return server.readSettings(name)
  if (action?.toUpperCase() === 'SET' && name !== undefined && value !== undefined) {
    server.changeSetting(name.toLowerCase(), value)
    return OK
  }
  if (action?.toUpperCase() === 'RESETSTAT') return OK
  throw new RedisError('ERR Unknown subcommand or wrong number of arguments for CONFIG.')
}

const describeSession = (session: Session, now: number): string =>
  `id=${session.id} addr=${session.address} name= age=${Math.floor((now - session.since) / 1_000)} ` +
  `db=${session.database} cmd=${session.lastCommand.toLowerCase()} user=${session.user ?? 'default'}`

const runClient: SessionCommand = (server, session, words) => {
  switch (words[1]?.toUpperCase()) {
    case 'LIST':
      return `${server
        .sessions()
        .map((open) => describeSession(open, server.now()))
        .join('\n')}\n`
    case 'INFO':
      return describeSession(session, server.now())
    case 'ID':
      return session.id
    case 'GETNAME':
      return ''
    case 'SETNAME':
    case 'SETINFO':
    case 'NO-EVICT':
      return OK
    case 'KILL':
      return server.kill(words.slice(2))
    default:
      throw new RedisError(`ERR Unknown subcommand or wrong number of arguments for '${words[1] ?? ''}'.`)
  }
}

const runQueue: SessionCommand = (server, session) => {
  if (session.queue === undefined) throw new RedisError('ERR EXEC without MULTI')
  const queue = session.queue
  session.queue = undefined
  return queue.map((words) => runCommand(server, session, words))
}

const debug: SessionCommand = (_, _session, words) => {
  if (isFileCheck(words)) return OK
  throw new RedisError(`ERR Unknown subcommand or wrong number of arguments for '${words[1] ?? ''}'.`)
}

const SESSION_COMMANDS: Readonly<Record<string, SessionCommand>> = {
  AUTH: authenticate,
  SELECT: select,
  CONFIG: configure,
  CLIENT: runClient,
  PING: (_server, _session, [, text]) => text ?? new Status('PONG'),
  ECHO: (_server, _session, words) => {
    checkArity('echo', 2, words)
    return words[1]!
  },
  DEBUG: debug,
  INFO: (server) => server.formatInfo(),
  TIME: (server) => [String(Math.floor(server.now() / 1_000)), String((server.now() % 1_000) * 1_000)],
  COMMAND: () => [],
  QUIT: (_, session) => {
    session.isClosing = true
    return OK
  },
  MULTI: (_, session) => {
    session.queue = []
    return OK
  },
  EXEC: runQueue,
  DISCARD: (_, session) => {
    session.queue = undefined
    return OK
  },
}

const execute = (server: RedisServer, session: Session, name: string, words: readonly string[]): Reply => {
  if (server.needsLogin && session.user === undefined && !COMMANDS_WITHOUT_LOGIN.has(name))
    throw new RedisError('NOAUTH Authentication required.')
  if (session.queue !== undefined && name === 'MULTI')
    throw new RedisError('ERR MULTI calls can not be nested')
  if (session.queue !== undefined && !['EXEC', 'DISCARD', 'QUIT'].includes(name)) {
    session.queue.push(words)
    return new Status('QUEUED')
  }
  const sessionCommand = Object.hasOwn(SESSION_COMMANDS, name) ? SESSION_COMMANDS[name] : undefined
  if (sessionCommand !== undefined) return sessionCommand(server, session, words)
  const command = findCommand(name)
  if (command !== undefined) return server.data.run(session.database, name, command, words)
  const argumentTexts = words.slice(1, 4).map((word) => `\`${word.slice(0, 128)}\`, `)
  throw new RedisError(
    `ERR unknown command \`${words[0]!.slice(0, 128)}\`, with args beginning with: ${argumentTexts.join('')}`,
  )
}

/** Returns the reply; a RedisError if the command failed. */
export const runCommand = (server: RedisServer, session: Session, words: readonly string[]): Reply => {
  const name = words[0]!.toUpperCase()
  session.lastCommand = name
  try {
    return execute(server, session, name, words)
  } catch (error) {
    // For example, a string that exceeds the maximum length in JavaScript.
    return error instanceof RedisError ? error : new RedisError(`ERR ${(error as Error).message}`)
  }
}

/** Whether the command may change data. Its reply then waits until the file contains the change. */
export const isWrite = (words: readonly string[]): boolean => {
  const name = words[0]!.toUpperCase()
  return name === 'EXEC' || findCommand(name)?.isWrite === true
}
