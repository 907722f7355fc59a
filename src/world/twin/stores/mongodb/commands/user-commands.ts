/** Commands about users and their roles. */
import type { Document } from '../bson.ts'
import { parseRoles } from '../roles.ts'
import { MECHANISMS } from '../scram.ts'
import type { User, UserStore } from '../user-store.ts'
import type { Command } from './command.ts'

const toPublicUser = ({ user, db, roles, credentials }: User, showsCredentials: boolean): Document => ({
  _id: `${db}.${user}`,
  user,
  db,
  ...(showsCredentials && { credentials }),
  roles,
  mechanisms: MECHANISMS.filter((mechanism) => credentials[mechanism]),
})

/**
 * `selector` is 1 for all users of the database, a name, `{user, db}`, `{forAllDBs: true}`, or a list of
 * those.
 */
const findUsers = (users: UserStore, database: string, selector: unknown): readonly User[] => {
  if (selector === 1) return users.list(database)
  if (Array.isArray(selector)) return selector.flatMap((item) => findUsers(users, database, item))
  const query: Document = typeof selector === 'string' ? { user: selector } : (selector as Document)
  if (query.forAllDBs) return users.list()
  const found = users.find(query.db ?? database, query.user)
  return found ? [found] : []
}

const usersInfo: Command = {
  action: 'users',
  run: ({ users, database }, command) => ({
    users: findUsers(users, database, command.usersInfo).map((user) =>
      toPublicUser(user, command.showCredentials === true),
    ),
  }),
}

const createUser: Command = {
  action: 'users',
  run: async ({ users, database }, command) => {
    await users.create(
      database,
      String(command.createUser),
      command.pwd,
      parseRoles(command.roles ?? [], database),
    )
    return {}
  },
}

const updateUser: Command = {
  action: 'users',
  run: async ({ users, database }, command) => {
    await users.update(database, String(command.updateUser), {
      password: command.pwd,
      ...(command.roles && { roles: parseRoles(command.roles, database) }),
    })
    return {}
  },
}

const dropUser: Command = {
  action: 'users',
  run: async ({ users, database }, command) => {
    await users.drop(database, String(command.dropUser))
    return {}
  },
}

const grantRolesToUser: Command = {
  action: 'users',
  run: async ({ users, database }, command) => {
    await users.grant(database, String(command.grantRolesToUser), parseRoles(command.roles, database))
    return {}
  },
}

const revokeRolesFromUser: Command = {
  action: 'users',
  run: async ({ users, database }, command) => {
    await users.revoke(database, String(command.revokeRolesFromUser), parseRoles(command.roles, database))
    return {}
  },
}

export const USER_COMMANDS: Readonly<Record<string, Command>> = {
  usersInfo,
  createUser,
  updateUser,
  dropUser,
  grantRolesToUser,
  revokeRolesFromUser,
}
