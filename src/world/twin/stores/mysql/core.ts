/** The parts of MySQL that need no sockets. */
export { type ClientSession, openClientSession, type StatementOutcome } from './client-session.ts'
export type { LeaderConnection } from './follower.ts'
export { createClientOver } from './mysql-client-over.ts'
export { GONE_AWAY, LOST_CONNECTION, type QueryResult, toFailure } from './mysql-connection.ts'
export { MysqlError, tooManyConnections } from './mysql-error.ts'
export { MysqlServer } from './mysql-server.ts'
export { toProof } from './native-password.ts'
export { toQueryResult } from './to-query-result.ts'
