/** Logs in to a store as the user of its clients, and lists the permissions of that user. */
import { clientLoginOf, isMysql, MYSQL_PRIVILEGES, queryStore } from '#exam/fault-parts'
import type { FaultContext } from '#spec'
import { loadMongoActions, type StoreClient } from '#world/twin/stores'

const GRANT = /^GRANT (.+) ON (\S+) TO '([^']*)'@'([^']*)'(.*)$/

const toScope = (text: string): string => text.replaceAll('`', '')

const privilegesOn = (scope: string): readonly string[] => {
  const { global, database, table } = MYSQL_PRIVILEGES
  if (scope === '*.*') return [...global, ...database]
  return scope.endsWith('.*') ? database : table
}

/** Returns one right for each privilege in a line of `SHOW GRANTS`, such as `SELECT ON shop.* of shop@%`. */
export const expandGrant = (line: string): readonly string[] => {
  const [, privileges = '', object = '', user = '', host = '', rest = ''] = GRANT.exec(line) ?? []
  const scope = toScope(object)
  const names = privileges
    .split(/,\s*(?![^(]*\))/)
    .flatMap((name) => (/^ALL( PRIVILEGES)?$/.test(name) ? privilegesOn(scope) : [name]))
    .filter((name) => name !== 'USAGE')
  const all = /WITH GRANT OPTION/.test(rest) ? [...names, 'GRANT OPTION'] : names
  return all.map((name) => `${name} ON ${scope} of ${user}@${host}`)
}

const readMysqlRights = async (client: StoreClient): Promise<readonly string[]> => {
  const rows = await client.query({ sql: { statement: 'SHOW GRANTS', parameters: [] } })
  return (rows as readonly Record<string, string>[])
    .flatMap((row) => Object.values(row))
    .flatMap(expandGrant)
    .sort()
}

const readMongoRights = async (client: StoreClient): Promise<readonly string[]> => {
  const { authInfo } = (await client.query({ mongo: { connectionStatus: 1, $db: 'admin' } })) as {
    readonly authInfo: {
      readonly authenticatedUserRoles: readonly { readonly role: string; readonly db: string }[]
    }
  }
  return (await loadMongoActions())(authInfo.authenticatedUserRoles)
}

/**
 * Logs in as clients in other pods do: MySQL may have another account of the same name for local clients. Rejects with a CallFailure of
 * kind `login` if the store rejects the user.
 */
export const readRights = (context: FaultContext): Promise<readonly string[]> => {
  const { user, password, database } = clientLoginOf(context)
  const isSql = isMysql(context)
  const login = { user, password, ...(isSql ? { database } : {}) }
  return queryStore(
    context,
    context.target.service,
    { login, via: 'address' },
    isSql ? readMysqlRights : readMongoRights,
  )
}
