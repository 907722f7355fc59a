/** Asks a store whether its files contain what it has written, and nothing else: a restart would restore any other content, or fail. */
import { CallFailure, type StoreClient } from '#world/twin/stores'
import type { TableRef } from './stored-entries.ts'

const isAnswered = (error: unknown): boolean => error instanceof CallFailure && error.kind === 'answer'

/** `refs`: tables of the store. A MongoDB store is asked about one that exists. */
export const isPersisted = async (
  client: StoreClient,
  protocol: TableRef['protocol'] | 'redis',
  refs: readonly TableRef[],
): Promise<boolean | undefined> => {
  if (protocol === 'redis')
    return client.query({ redis: ['DEBUG', 'CHECK-AOF'] }).then(
      () => true,
      (error: unknown) => {
        if (isAnswered(error)) return false
        throw error
      },
    )
  if (protocol === 'mysql') {
    const statement = 'CHECK TABLE mysql.user'
    const rows = await client.query({ sql: { statement, parameters: [] } })
    return (rows as readonly Readonly<Record<string, unknown>>[]).every(({ Msg_text }) => Msg_text === 'OK')
  }
  for (const { database, table } of refs) {
    const reply = await client
      .query({ mongo: { validate: table, $db: database } })
      .catch((error: unknown) => {
        if (isAnswered(error)) return undefined
        throw error
      })
    if (reply !== undefined) return (reply as { readonly valid: boolean }).valid
  }
  return undefined
}
