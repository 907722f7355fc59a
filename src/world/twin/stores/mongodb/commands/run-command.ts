/** Finds the command of a message, checks authorisation and runs it. */
import type { Document } from '../bson.ts'
import { MongoFailure, toMongoFailure } from '../mongo-failure.ts'
import { isAuthorized } from '../roles.ts'
import type { Command, CommandContext } from './command.ts'
import { READ_COMMANDS } from './read-commands.ts'
import { SCHEMA_COMMANDS } from './schema-commands.ts'
import { SESSION_COMMANDS } from './session-commands.ts'
import { USER_COMMANDS } from './user-commands.ts'
import { WRITE_COMMANDS } from './write-commands.ts'

const COMMANDS: Readonly<Record<string, Command>> = {
  ...SESSION_COMMANDS,
  ...READ_COMMANDS,
  ...WRITE_COMMANDS,
  ...SCHEMA_COMMANDS,
  ...USER_COMMANDS,
}

const isLocal = (remote: string): boolean => /^(::ffff:)?127\.|^::1/.test(remote)

/** The localhost exception: a client on the same machine may create the first user without a login. */
const isLocalhostException = ({ users, session }: CommandContext, name: string): boolean =>
  name === 'createUser' && users.count === 0 && isLocal(session.remote)

/** The part of a command that identifies it in an error. */
const describeCommand = (name: string, body: Document, database: string): string =>
  `{ ${name}: ${typeof body[name] === 'string' ? JSON.stringify(body[name]) : 1}, $db: ${JSON.stringify(database)} }`

const checkAuthorized = (
  context: CommandContext,
  name: string,
  { action }: Command,
  body: Document,
): void => {
  const { session, users, database } = context
  if (action === 'none' || isLocalhostException(context, name)) return
  if (session.authenticated.size === 0)
    throw new MongoFailure('Unauthorized', `command ${name} requires authentication`)
  const roles = [...session.authenticated.values()].flatMap(
    ({ db, user }) => users.find(db, user)?.roles ?? [],
  )
  if (!isAuthorized(roles, action, database))
    throw new MongoFailure(
      'Unauthorized',
      `not authorized on ${database} to execute command ${describeCommand(name, body, database)}`,
    )
}

export interface CommandResult {
  readonly name: string
  readonly reply: Document
  /** The name of the error code, if the command failed. */
  readonly failure?: string
}

/** Never rejects: the reply says if the command failed. */
export const runCommand = async (
  context: CommandContext,
  body: Document,
  isAuthEnabled: boolean,
): Promise<CommandResult> => {
  const [name = ''] = Object.keys(body)
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  try {
    if (!command) throw new MongoFailure('CommandNotFound', `no such command: '${name}'`)
    if (isAuthEnabled) checkAuthorized(context, name, command, body)
    if (context.fails?.(name) === true) throw new MongoFailure('InternalError', 'internal error')
    return { name, reply: { ...(await command.run(context, body)), ok: 1 } }
  } catch (error) {
    const failure = toMongoFailure(error)
    return { name: command ? name : 'unknown', reply: failure.toReply(), failure: failure.codeName }
  }
}
