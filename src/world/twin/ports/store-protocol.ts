/** The interface of data stores: a server for the store's pod, and a client for the services that use it. */
import type { Socket } from 'node:net'
import type { ClientOptions, ListeningServer } from './service-protocol.ts'

export interface StoreLogin {
  readonly user: string
  readonly password: string
  readonly database?: string
}

export interface StoreClientOptions extends ClientOptions {
  /** Opens the connection, instead of connecting to `address`. */
  readonly connect?: () => Promise<Socket>
  readonly login?: StoreLogin
}

/** The evaluated command of a query step; has exactly one member. */
export interface StoreCommand {
  readonly sql?: { readonly statement: string; readonly parameters: readonly unknown[] }
  readonly redis?: readonly (string | number)[]
  readonly memcached?: readonly unknown[]
  readonly mongo?: Readonly<Record<string, unknown>>
  readonly publish?: {
    readonly queue: string
    readonly message: unknown
    readonly headers: Readonly<Record<string, string>>
  }
}

export interface StoreClient {
  /** The result is plain JSON data. Rejects with a CallFailure. */
  query(command: StoreCommand, timeoutMs?: number): Promise<unknown>
  close(): void
}

/** A client that also receives messages. */
export interface BrokerClient extends StoreClient {
  /**
   * Connects, and reconnects after a lost connection, until closed. Acknowledges a message when `handle`
   * resolves, and returns it to the queue when `handle` rejects.
   */
  consume(
    queue: string,
    handle: (message: unknown, headers: Readonly<Record<string, string>>) => Promise<void>,
  ): void
}

export interface StoreServerOptions {
  readonly port: number
  /** The folder of persistent data; in memory by default. */
  readonly folder?: string
  /** Without users, the store requires no login. */
  readonly users: readonly {
    readonly name: string
    readonly password: string
    readonly databases?: readonly string[]
  }[]
  readonly databases: readonly string[]
  readonly maxConnections?: number
  readonly maxMemoryMiB?: number
  /** The disk time of a search; the disk serves one search at a time. */
  readonly readMs?: number
  /** Delays everything that clients send, in a slow release. The program host implements the delay, not the store. */
  readonly slowMs?: number
  readonly environment: Readonly<Record<string, string>>
  /** The container's arguments, the same as for the original store, such as `--auth`. */
  readonly args?: readonly string[]
  /** Whether this command fails in a bad release; `command` is a name as in `onCommand`. */
  fails?(command: string): boolean
  log(level: 'debug' | 'info' | 'warn' | 'error', text: string): void
  /** Called when a command has ended, for the metrics: `SELECT`, `GET`, `find`. */
  onCommand(command: string, durationMs: number, failure?: string): void
}

/** Resolves when the store listens. Rejects if the folder cannot be used; the process then exits. */
export type StartStoreServer = (options: StoreServerOptions) => Promise<ListeningServer>
