/** The interfaces of registry servers and clients. */
import type { ListeningServer } from './service-protocol.ts'
import type { StoreServerOptions } from './store-protocol.ts'

export type RegistryProtocol = 'nacos' | 'consul'

export type RegistryServerOptions = Pick<
  StoreServerOptions,
  'port' | 'environment' | 'slowMs' | 'fails' | 'log' | 'onCommand'
>

/** Resolves when the server listens. */
export type StartRegistryServer = (options: RegistryServerOptions) => Promise<ListeningServer>

export interface Address {
  readonly host: string
  readonly port: number
}

export interface RegisteredInstance extends Address {
  /** The name under which clients look it up. */
  readonly service: string
}

export interface RegistryClientOptions {
  /** The registry's servers; the next one is tried if one fails. */
  readonly addresses: readonly Address[]
  /** Wraps registrations, first lookups and some heartbeats, to record spans. */
  observe?<T>(operation: string, work: () => Promise<T>): Promise<T>
}

export interface RegistryClient {
  /**
   * Registers the instance and sends heartbeats if the registry requires them. Rejects with a CallFailure.
   */
  register(instance: RegisteredInstance): Promise<void>
  /** Returns the known addresses in turn; rejects with a CallFailure, of kind `name` if there are none. */
  resolve(service: string): Promise<Address>
  close(): Promise<void>
}

export type CreateRegistryClient = (options: RegistryClientOptions) => RegistryClient
