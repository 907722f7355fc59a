/** The MongoDB client of a twin over sockets. */
import type { StoreClient, StoreClientOptions } from '#world/twin/ports'
import { processHost } from '../process-host.ts'
import { createClientOver } from './mongodb-client-over.ts'
import { openMongoConnection } from './open-mongo-connection.ts'

export const createMongodbClient = (options: StoreClientOptions): StoreClient =>
  createClientOver(options, processHost, () => openMongoConnection(options))
