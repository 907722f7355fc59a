/** Commands about users and their roles. */
import type { Document } from '../bson.ts'
import { MECHANISMS } from '../scram.ts'
import { toRoles, type User, type UserStore } from '../user-store.ts'
import type { Command } from './command.ts'

/** Without what proves the password. */
const shown = ({ user, db, roles, credentials }: User): Document => ({
  _id: `${db}.${user}`,
  user,
  db,
  roles,
  mechanisms: MECHANISMS.filter((mechanism) => credentials[mechanism]),
})

/** 1 means all of the database; otherwise a name, `{user, db}`, `{forAllDBs: true}`, or a list of those. */
const findUsers = (users: UserStore, database: string, wanted: unknown): readonly User[] => {
  if (wanted === 1) return users.list(database)
  if (Array.isArray(wanted)) return wanted.flatMap((one) => findUsers(users, database, one))
  const asked: Document = typeof wanted === 'string' ? { user: wanted } : (wanted as Document)
  if (asked.forAllDBs) return users.list()
  const found = users.find(asked.db ?? database, asked.user)
  return found ? [found] : []
}

const usersInfo: Command = {
  action: 'users',
  run: ({ users, database }, command) => ({
    users: findUsers(users, database, command.usersInfo).map(shown),
  }),
}

const createUser: Command = {
  action: 'users',
  run: async ({ users, database }, command) => {
    await users.create(
      database,
      String(command.createUser),
      command.pwd,
      toRoles(command.roles ?? [], database),
    )
    return {}
  },
}

const updateUser: Command = {
  action: 'users',
  run: async ({ users, database }, command) => {
    await users.update(database, String(command.updateUser), {
      password: command.pwd,
      ...(command.roles && { roles: toRoles(command.roles, database) }),
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
    await users.grant(database, String(command.grantRolesToUser), toRoles(command.roles, database))
    return {}
  },
}

const revokeRolesFromUser: Command = {
  action: 'users',
  run: async ({ users, database }, command) => {
    await users.revoke(database, String(command.revokeRolesFromUser), toRoles(command.roles, database))
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
