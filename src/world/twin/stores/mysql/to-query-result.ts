/** Converts the result of a statement to the result that a client reads from its packets. */
import type { Cell } from './databases.ts'
import type { QueryResult } from './mysql-connection.ts'
import { typesOf } from './result-packets.ts'
import type { Result } from './session.ts'

const toText = (cell: Cell): string | null => {
  if (cell === null) return null
  return cell instanceof Uint8Array ? Buffer.from(cell).toString() : String(cell)
}

export const toQueryResult = (result: Result): QueryResult => {
  if (!('rows' in result)) return { columns: [], rows: [], affected: result.affected, lastId: result.lastId }
  const types = typesOf(result)
  return {
    columns: result.columns.map(({ name }, at) => ({ name, type: types[at]! })),
    rows: result.rows.map((row) => row.map(toText)),
    affected: 0,
    lastId: 0,
  }
}
