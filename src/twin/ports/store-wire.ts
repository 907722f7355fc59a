/** Wires to data stores: each store has a server, the program of its pod, and a client, in the pods of those who use it. */
import type { ClientOptions, ListeningServer } from './service-wire.ts'

export interface StoreLogin {
  readonly user: string
  readonly password: string
  readonly database?: string
}

export interface StoreClientOptions extends ClientOptions {
  readonly login?: StoreLogin
}

/** What a query step asks: exactly one of these, evaluated. */
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

/** A client that also gets messages. */
export interface BrokerClient extends StoreClient {
  /**
   * Connects, and connects again whenever the connection is lost, until closed. A message is acknowledged when
   * `handle` has resolved, and given back when it rejected.
   */
  consume(
    queue: string,
    handle: (message: unknown, headers: Readonly<Record<string, string>>) => Promise<void>,
  ): void
}

export interface StoreServerOptions {
  readonly port: number
  /** Where it keeps what must survive; memory only where absent. */
  readonly folder?: string
  /** Nobody is asked for a password where there are none. */
  readonly users: readonly {
    readonly name: string
    readonly password: string
    readonly databases?: readonly string[]
  }[]
  readonly databases: readonly string[]
  readonly maxConnections?: number
  readonly maxMemoryMiB?: number
  /** What a search takes on the disk, which does one after another. */
  readonly readMs?: number
  readonly environment: Readonly<Record<string, string>>
  /** Of the container, as the original's program would get them: `--auth`. */
  readonly args?: readonly string[]
  /** True of what a bad release cannot do any more, by the name that `onCommand` is told. */
  fails?(command: string): boolean
  log(level: 'debug' | 'info' | 'warn' | 'error', text: string): void
  /** Told of every command when it has ended, for the metrics: `SELECT`, `GET`, `find`. */
  onCommand(command: string, durationMs: number, failure?: string): void
}

/** Resolves when it listens. Rejects where the folder cannot be used: the process then ends, as the original's would. */
export type StartStoreServer = (options: StoreServerOptions) => Promise<ListeningServer>
