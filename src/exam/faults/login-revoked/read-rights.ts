/** Logs in to a store as the user of its clients, and lists the permissions of that user. */
import { clientLoginOf, expandGrant, isMysql, queryStore } from '#exam/fault-parts'
import type { FaultContext } from '#spec'
import { loadMongoActions, type StoreClient } from '#world/twin/stores'

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
