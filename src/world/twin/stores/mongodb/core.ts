/** The parts of MongoDB that need no sockets. */
export { Binary, type Document, ObjectId, RawValue } from './bson.ts'
export {
  CLOSED_BY_CLIENT,
  CLOSED_BY_SERVER,
  MongoConnection,
  type MongoTransport,
} from './mongo-connection.ts'
export { createClientOver } from './mongodb-client-over.ts'
export { MongodbServer } from './mongodb-server.ts'
export type { ScramSource } from './scram.ts'
