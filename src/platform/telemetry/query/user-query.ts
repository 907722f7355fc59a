/** SQL of users: its limits and its errors. */
import { defined } from '#kit'
import { RemediumError } from '#spec'
import type { SqlParameter, SqlRequest } from './sql-request.ts'

const MAX_ROWS = 10_000

export const toUserRequest = (
  sql: string,
  parameters: readonly SqlParameter[],
  scope: { readonly since: number } | undefined,
): SqlRequest => ({
  sql,
  parameters,
  maxRows: MAX_ROWS,
  isGuarded: true,
  ...defined({ since: scope?.since }),
})

export const failedQueryError = (reason: string): RemediumError =>
  new RemediumError('bad-argument', `The query failed: ${reason}.`, {
    hint: 'Telemetry is read-only; docs/telemetry.md lists the tables.',
  })
