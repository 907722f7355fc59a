/** Repairs of data stores, with commands in their pods. */
import {
  cachingClientsOf,
  changeStore,
  clientLoginOf,
  definitionOf,
  type Entry,
  generatedColumns,
  isMysql,
  MYSQL_PRIVILEGES,
  seededCollections,
  seededDocuments,
  seededRows,
  shellCommand,
} from '#exam/fault-parts'
import type { Behaviour, RepairContext } from '#spec'
import type { RightRepair } from './right-repair.ts'
import { restartRollout } from './targets.ts'

const runStatements = async (
  context: RepairContext,
  statements: string,
  database?: string,
): Promise<void> => {
  const { system, target } = context
  const login = database === undefined ? {} : { database }
  await changeStore(context, target.service, shellCommand(system, target.service, statements, login))
}

const restartReaders = async (context: RepairContext): Promise<void> => {
  for (const reader of cachingClientsOf(context)) await restartRollout(context, reader)
}

const grantOneByOne: RightRepair = {
  name: 'grant-the-privileges-one-by-one',
  about: 'Grants each privilege or role separately, instead of all at once',
  faults: ['login-revoked'],
  needsPrograms: true,
  async act(context) {
    const { user, scope, database } = clientLoginOf(context)
    const statements = isMysql(context)
      ? MYSQL_PRIVILEGES.database.map((privilege) => `GRANT ${privilege} ON ${scope} TO '${user}'@'%'`)
      : ['read', 'readWrite'].map(
          (role) => `db.grantRolesToUser("${user}", [{role: "${role}", db: "${database}"}])`,
        )
    for (const statement of statements) await runStatements(context, statement)
    await restartReaders(context)
  },
}

const recreateUser: RightRepair = {
  name: 'recreate-the-user',
  about: 'Drops the user, and creates it again with its password and permissions',
  faults: ['login-revoked'],
  needsPrograms: true,
  async act(context) {
    const { user, password, scope, database } = clientLoginOf(context)
    const account = `'${user}'@'%'`
    const statements = isMysql(context)
      ? [
          `DROP USER ${account}`,
          `CREATE USER ${account} IDENTIFIED BY '${password}'`,
          `GRANT ALL PRIVILEGES ON ${scope} TO ${account}`,
        ]
      : [
          `db.dropUser("${user}")`,
          `db.createUser({user: "${user}", pwd: "${password}", roles: [{role: "readWrite", db: "${database}"}]})`,
        ]
    for (const statement of statements) await runStatements(context, statement)
    await restartReaders(context)
  },
}

const toLiteral = (value: unknown): string =>
  typeof value === 'number' ? String(value) : `'${String(value).replace(/['\\]/g, '\\$&')}'`

const toInsertStatement = (behaviour: Behaviour, table: string): string => {
  const generated = generatedColumns(behaviour, table)
  const rows = seededRows(behaviour, table)
  const columns = Object.keys(rows[0] ?? {})
  const toRow = (row: Entry, index: number): string =>
    columns.map((name) => toLiteral(generated.includes(name) ? `restored-${index}` : row[name])).join(', ')
  const values = rows.map((row, index) => `(${toRow(row, index)})`).join(', ')
  return `${definitionOf(behaviour, table)}; INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values}`
}

const insertData: RightRepair = {
  name: 'insert-the-data',
  about: 'Creates the table and inserts the data from a backup, without a restart of the service',
  faults: ['database-dropped'],
  needsPrograms: true,
  async act(context) {
    const { system, target } = context
    const database = String(target.database)
    const { behaviour } = system.topology!.services[String(target.reader)]!
    if (isMysql(context))
      return runStatements(context, toInsertStatement(behaviour, String(target.table)), database)
    for (const collection of new Set(seededCollections(behaviour, database))) {
      const documents = JSON.stringify(seededDocuments(behaviour, collection))
      await runStatements(context, `db.${collection}.insertMany(${documents})`, database)
    }
  },
}

export const STORES: readonly RightRepair[] = [grantOneByOne, recreateUser, insertData]
