/** Finds the command that a message asks for, asks whether the caller may, and runs it. */
import type { Document } from '../bson.ts'
import { MongoFailure, toMongoFailure } from '../mongo-failure.ts'
import { mayDo } from '../user-store.ts'
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

/** Before there is the first user, one may be made from the machine itself. */
const isFirstUser = ({ users, session }: CommandContext, name: string): boolean =>
  name === 'createUser' && users.count === 0 && isLocal(session.remote)

/** As much of a command as tells which one it was. */
const show = (name: string, body: Document, database: string): string =>
  `{ ${name}: ${typeof body[name] === 'string' ? JSON.stringify(body[name]) : 1}, $db: ${JSON.stringify(database)} }`

const checkMayDo = (context: CommandContext, name: string, { action }: Command, body: Document): void => {
  const { session, users, database } = context
  if (action === 'none' || isFirstUser(context, name)) return
  if (session.authenticated.size === 0)
    throw new MongoFailure('Unauthorized', `command ${name} requires authentication`)
  const roles = [...session.authenticated.values()].flatMap(
    ({ db, user }) => users.find(db, user)?.roles ?? [],
  )
  if (!mayDo(roles, action, database))
    throw new MongoFailure(
      'Unauthorized',
      `not authorized on ${database} to execute command ${show(name, body, database)}`,
    )
}

export interface CommandResult {
  readonly name: string
  readonly reply: Document
  /** Why, where it failed. */
  readonly failure?: string
}

/** Never rejects. */
export const runCommand = async (
  context: CommandContext,
  body: Document,
  auth: boolean,
): Promise<CommandResult> => {
  const [name = ''] = Object.keys(body)
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  try {
    if (!command) throw new MongoFailure('CommandNotFound', `no such command: '${name}'`)
    if (auth) checkMayDo(context, name, command, body)
    if (context.fails?.(name) === true) throw new MongoFailure('InternalError', 'internal error')
    return { name, reply: { ...(await command.run(context, body)), ok: 1 } }
  } catch (error) {
    const failure = toMongoFailure(error)
    return { name: command ? name : 'unknown', reply: failure.toReply(), failure: failure.codeName }
  }
}
