/** Reads how a store is set up: settings of the server, users with their permissions, and columns and indexes of tables. */
import { toFingerprint } from '#exam/effects'
import { CallFailure, loadMongoActions, type StoreClient } from '#world/twin/stores'
import { expandGrant } from './mysql-privileges.ts'
import type { TableRef } from './stored-entries.ts'

/** Names with values, or with the fingerprints of long or secret ones. */
export type StoreSettings = Readonly<Record<string, string>>

type Row = Readonly<Record<string, unknown>>

/** The length of a fingerprint. */
const FINGERPRINT_CHARACTERS = 20

const toDigest = (value: unknown): string =>
  toFingerprint(JSON.stringify(value ?? null)).slice(-FINGERPRINT_CHARACTERS)

const nameSetting = (name: string): string => `setting ${name}`
const nameUser = (name: string): string => `user ${name}`
const namePassword = (name: string): string => `password of ${name}`
const nameTable = ({ database, table }: TableRef): string => `definition of ${database}.${table}`

const readRedisSettings = async (client: StoreClient): Promise<StoreSettings> => {
  const words = (await client.query({ redis: ['CONFIG', 'GET', '*'] })) as readonly string[]
  return Object.fromEntries(
    words.flatMap((name, index) => {
      if (index % 2 === 1) return []
      const value = words[index + 1] ?? ''
      return [[nameSetting(name), name === 'requirepass' && value !== '' ? toDigest(value) : value]]
    }),
  )
}

type SqlQuery = (statement: string, ...parameters: readonly unknown[]) => Promise<readonly Row[]>

const readMysqlUsers = async (query: SqlQuery): Promise<StoreSettings> => {
  const settings: Record<string, string> = {}
  const users = await query(
    'SELECT User AS user, Host AS host, authentication_string AS password FROM mysql.user',
  )
  for (const { user, host, password } of users) {
    const name = `${user}@${host}`
    const grants = await query('SHOW GRANTS FOR ?@?', user, host)
    const lines = grants.flatMap((row) => Object.values(row).map(String))
    settings[nameUser(name)] = toDigest(lines.flatMap(expandGrant).sort())
    settings[namePassword(name)] = toDigest(password)
  }
  return settings
}

const readMysqlSettings = async (client: StoreClient, refs: readonly TableRef[]): Promise<StoreSettings> => {
  const query: SqlQuery = async (statement, ...parameters) =>
    (await client.query({ sql: { statement, parameters } })) as readonly Row[]
  const variables = await query('SHOW GLOBAL VARIABLES')
  const [leader] = await query('SHOW SLAVE STATUS')
  const parts = [
    ...(await query('SELECT * FROM information_schema.columns')),
    ...(await query('SELECT * FROM information_schema.statistics')),
  ]
  const definitionOf = ({ database, table }: TableRef): readonly Row[] =>
    parts.filter((part) => part.TABLE_SCHEMA === database && part.TABLE_NAME === table)
  return {
    ...Object.fromEntries(
      variables.map(({ Variable_name, Value }) => [nameSetting(String(Variable_name)), String(Value)]),
    ),
    [nameSetting('leader')]: String(leader?.Master_Host ?? ''),
    ...(await readMysqlUsers(query)),
    ...Object.fromEntries(
      refs
        .map((ref) => [ref, definitionOf(ref)] as const)
        .filter(([, rows]) => rows.length > 0)
        .map(([ref, rows]) => [nameTable(ref), toDigest(rows.map((row) => JSON.stringify(row)).sort())]),
    ),
  }
}

interface MongoUser {
  readonly user: string
  readonly db: string
  readonly roles: readonly { readonly role: string; readonly db: string }[]
  readonly credentials?: unknown
}

const isMissing = (error: unknown): boolean =>
  error instanceof CallFailure && error.message.startsWith('NamespaceNotFound')

const readMongoSettings = async (client: StoreClient, refs: readonly TableRef[]): Promise<StoreSettings> => {
  const settings: Record<string, string> = {}
  const command = { usersInfo: { forAllDBs: true }, showCredentials: true, $db: 'admin' }
  const { users } = (await client.query({ mongo: command })) as { readonly users: readonly MongoUser[] }
  const actionsOf = await loadMongoActions()
  for (const { user, db, roles, credentials } of users) {
    settings[nameUser(`${db}.${user}`)] = toDigest(actionsOf(roles))
    settings[namePassword(`${db}.${user}`)] = toDigest(credentials)
  }
  for (const ref of refs) {
    const indexes = await client
      .query({ mongo: { listIndexes: ref.table, $db: ref.database } })
      .catch((error: unknown) => {
        if (isMissing(error)) return undefined
        throw error
      })
    if (indexes !== undefined)
      settings[nameTable(ref)] = toDigest(
        (indexes as readonly unknown[]).map((index) => JSON.stringify(index)).sort(),
      )
  }
  return settings
}

/** A table that does not exist has no definition. */
export const readSettings = (
  client: StoreClient,
  protocol: TableRef['protocol'] | 'redis',
  refs: readonly TableRef[],
): Promise<StoreSettings> => {
  if (protocol === 'redis') return readRedisSettings(client)
  return (protocol === 'mysql' ? readMysqlSettings : readMongoSettings)(client, refs)
}
