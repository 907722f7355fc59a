/** The MySQL client of a twin over sockets. */
import type { StoreClient, StoreClientOptions } from '#world/twin/ports'
import { processHost } from '../process-host.ts'
import { createClientOver } from './mysql-client-over.ts'
import { openMysqlConnection } from './open-mysql-connection.ts'

export const createMysqlClient = (options: StoreClientOptions): StoreClient =>
  createClientOver(options, processHost, () => openMysqlConnection(options))
