/** An implementation of the stores, as their contract suite uses it. */
import type {
  BrokerClient,
  ListeningServer,
  StoreClient,
  StoreClientOptions,
  StoreServerOptions,
} from '#world/twin/ports'

export type StoreProtocol = 'redis' | 'mongodb' | 'mysql' | 'memcached' | 'amqp'

export interface StoreSubject {
  startServer(options?: Partial<StoreServerOptions>): Promise<ListeningServer>
  createClient(port: number, options?: Partial<StoreClientOptions>): StoreClient & Partial<BrokerClient>
  /** Returns an empty folder for the data of a server. */
  makeFolder(): string
  /** The address of the servers. */
  readonly host: string
  /** The address of the clients, as servers see it. */
  readonly clientHost: string
  sleep(ms: number): Promise<void>
}

/** Runs the work with a new subject, and closes everything afterwards. */
export type WithStoreSubject = (work: (subject: StoreSubject) => Promise<void>) => Promise<void>

/** The options of a server that the tests do not set. */
export const DEFAULT_STORE_OPTIONS: StoreServerOptions = {
  port: 0,
  users: [],
  databases: [],
  environment: { MYSQL_LOG_FOLDER: '/nowhere' },
  log: () => {},
  onCommand: () => {},
}
