/** Wires to registries: where services say that they are there, and ask where others are. */
import type { ClientOptions, ListeningServer } from './service-wire.ts'
import type { StoreClient, StoreServerOptions } from './store-wire.ts'

export interface RegistryInstance {
  readonly service: string
  readonly host: string
  readonly port: number
}

export interface RegistryClient {
  /** Keeps it alive from then on. Rejects with a CallFailure. */
  register(instance: RegistryInstance): Promise<void>
  /** One of those that are there, in turn. Rejects with a CallFailure, of kind `name` where there are none. */
  resolve(service: string): Promise<{ host: string; port: number }>
  /** Takes back what it has registered, as far as that goes without waiting. */
  close(): void
}

export type CreateRegistryClient = (options: ClientOptions) => RegistryClient

export interface RegistryServerOptions extends StoreServerOptions {
  /** Where it keeps its own, of those that have such. */
  readonly store?: StoreClient
}

export type StartRegistryServer = (options: RegistryServerOptions) => Promise<ListeningServer>
